// @ts-check
// The open window, driven by role and name.

import { writeFileSync } from "node:fs";
import { Capabilities, Key, WebDriver } from "selenium-webdriver";
import { Executor, HttpClient } from "selenium-webdriver/http/index.js";
import { WINDOW, kill, until } from "./harness.mjs";

export { Key };

/** Runs in the page: the visible element with a role and a name; an exact name before a part of one. */
const FIND = `
  const [role, name] = arguments;
  const native = {
    button: "button", textbox: "textarea, input:not([type]), input[type=text], input[type=search]", radio: "input[type=radio]",
    group: "fieldset", heading: "h1, h2, h3", combobox: "select", dialog: "dialog", region: "section[aria-label]",
  }[role];
  const byIds = (ids) => ids.split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join(" ").trim();
  const nameOf = (element) =>
    element.getAttribute("aria-label") ??
    (element.hasAttribute("aria-labelledby") ? byIds(element.getAttribute("aria-labelledby")) : null) ??
    element.labels?.[0]?.innerText ?? (element.innerText || element.placeholder || "");
  const found = [...document.querySelectorAll("[role=" + role + "]" + (native ? ", " + native : ""))]
    .filter((element) => element.getClientRects().length > 0 && !element.disabled)
    .map((element) => [element, nameOf(element).trim()]);
  const exact = found.find(([, text]) => text === name || text.split("\\n")[0] === name);
  return (exact ?? found.find(([, text]) => text.includes(name)))?.[0] ?? null;`;

export class View {
  #bench;
  #browser;
  #end;
  isOpen = true;

  /**
   * @param {import("./harness.mjs").Bench} bench
   * @param {WebDriver} browser
   * @param {() => Promise<void>} end Ends the driver.
   */
  constructor(bench, browser, end) {
    this.#bench = bench;
    this.#browser = browser;
    this.#end = end;
  }

  /**
   * @param {import("./harness.mjs").Bench} bench
   * @param {number} port
   * @param {() => Promise<void>} end
   */
  static async open(bench, port, end) {
    const capabilities = new Capabilities();
    // No browser name: tauri-driver takes it for a wish that it cannot fulfil.
    capabilities.set("tauri:options", { application: WINDOW });
    const browser = WebDriver.createSession(new Executor(new HttpClient(`http://127.0.0.1:${port}`)), capabilities);
    await browser.getSession();
    return new View(bench, browser, end);
  }

  /** Closes the window as a person would, and the program with it. */
  async close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.#browser.quit().catch(() => {});
    const pid = this.#bench.pid();
    if (pid !== undefined) kill(pid);
    await this.#end();
  }

  /** `kill -9`, as a crash would. */
  async kill() {
    const pid = this.#bench.pid();
    if (pid === undefined) throw new Error("the window does not run");
    kill(pid);
    await until("the program has ended", () => this.#bench.pid() === undefined);
    await this.close();
  }

  /** @param {string} script @param {unknown[]} args @returns {Promise<any>} */
  js(script, ...args) {
    return this.#browser.executeScript(script, ...args);
  }

  /** As `js`; the script calls its last argument with what it gives. @param {string} script @returns {Promise<any>} */
  jsLater(script) {
    return this.#browser.executeAsyncScript(script);
  }

  /** @param {number} width @param {number} height */
  async resize(width, height) {
    await this.#browser.manage().window().setRect({ x: 0, y: 0, width, height });
    await until("the window has its size", () => this.js("return innerWidth === arguments[0] && innerHeight === arguments[1]", width, height));
  }

  /** Sets the theme, and waits until every colour has changed. @param {string} theme */
  async theme(theme) {
    await this.js("document.documentElement.dataset.theme = arguments[0]", theme);
    await until("colours have changed", () => this.still());
  }

  /** Whether nothing moves that will come to an end. @returns {Promise<boolean>} */
  still() {
    return this.js(
      `return document.getAnimations().every((moves) => moves.playState !== "running" || moves.effect.getTiming().iterations === Infinity)`,
    );
  }

  /** @param {string} file */
  async picture(file) {
    writeFileSync(file, Buffer.from(await this.#browser.takeScreenshot(), "base64"));
  }

  /** Text of the whole page. @returns {Promise<string>} */
  text() {
    return this.js("return document.body.innerText");
  }

  /** Waits for a text. @param {string} text @param {number} [limit] */
  async sees(text, limit) {
    await until(`the page shows “${text}”`, async () => (await this.text()).includes(text), limit);
  }

  /** How often a text stands in the conversation. @param {string} text @returns {Promise<number>} */
  count(text) {
    return this.js(
      `return (document.querySelector("[role=feed]")?.innerText ?? "").split(arguments[0]).length - 1`,
      text,
    );
  }

  /** @param {string} selector @returns {Promise<number>} */
  all(selector) {
    return this.js("return document.querySelectorAll(arguments[0]).length", selector);
  }

  /**
   * The visible, usable element with a role and a name, or null.
   * @param {string} role
   * @param {string} name
   * @returns {Promise<import("selenium-webdriver").WebElement | null>}
   */
  find(role, name) {
    return this.js(FIND, role, name);
  }

  /** Waits for an element. @param {string} role @param {string} name */
  wait(role, name) {
    return until(`there is a ${role} “${name}”`, () => this.find(role, name));
  }

  /** @param {string} role @param {string} name */
  async click(role, name) {
    // What is found may be drawn anew or move away before the click reaches it.
    await until(`${role} “${name}” takes a click`, async () => {
      const element = await this.find(role, name);
      if (element === null || !(await this.still())) return false;
      await this.js("arguments[0].scrollIntoView({ block: 'nearest' })", element);
      await element.click();
      return true;
    });
  }

  /** Types into the message field and sends. @param {string} text @param {string[]} chord */
  async send(text, chord = [Key.ENTER]) {
    const field = await this.wait("textbox", "Message");
    await field.click();
    await field.sendKeys(text);
    await (chord.length === 1 ? this.press(chord[0] ?? "") : this.chord(chord[0] ?? "", chord[1] ?? ""));
    await until("the field is empty again", async () => (await field.getAttribute("value")) === "");
  }

  /** Opens a chat of the list by its title. @param {string} title */
  async openChat(title) {
    await this.click("button", title);
    await until(`the chat “${title}” is shown`, () =>
      this.js(`return document.querySelector("button.open[aria-current=page]")?.innerText.startsWith(arguments[0])`, title),
    );
  }

  async newChat() {
    await this.click("button", "New chat");
    await until("the new chat is shown", () => this.js(`return !document.querySelector("[role=feed] [role=article]")`));
  }

  /** Unfolds everything in the conversation. */
  async unfold() {
    await this.js(`for (const fold of document.querySelectorAll("[role=feed] button[aria-expanded=false]")) fold.click()`);
  }

  /** Whether a turn runs in the chat that is shown. @returns {Promise<boolean>} */
  running() {
    return this.js(`return document.querySelector('main button[aria-label="Stop"]') !== null`);
  }

  async idle() {
    await until("no turn runs", async () => !(await this.running()));
  }

  /** Waits for the card of a command, a change or a question that says `text`. @param {string} text */
  async asks(text) {
    await until(`a card asks about “${text}”`, () =>
      this.js(`return [...document.querySelectorAll("[data-request]")].some((card) => card.innerText.includes(arguments[0]))`, text),
    );
  }

  /** Keys to whatever has the focus. @param {string[]} keys */
  press(...keys) {
    return this.#browser.actions().sendKeys(...keys).perform();
  }

  /** @param {string} modifier @param {string} key */
  chord(modifier, key) {
    return this.#browser.actions().keyDown(modifier).sendKeys(key).keyUp(modifier).perform();
  }
}
