export { isMessageKey, type MessageKey } from "./catalogue";
export { localeTag, setLocale, t, translate, type Locale } from "./i18n.svelte";
export type { Values } from "./icu";
