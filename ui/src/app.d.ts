/** Version of the application, from package.json at build time. */
declare const __APP_VERSION__: string;
