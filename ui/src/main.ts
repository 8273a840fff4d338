import { mount } from "svelte";
import App from "./App.svelte";
import "./shared/tokens.css";
import "./shared/base.css";

const target = document.getElementById("app");
if (target) mount(App, { target });
