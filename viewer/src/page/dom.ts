// SPDX-License-Identifier: BSD-3-Clause
// Makes elements. Text is only ever set as text, so that no document can become markup.

type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function button(text: string, label: string, press: () => void): HTMLButtonElement {
  const element = el("button", { type: "button", "aria-label": label, title: label }, text);
  element.addEventListener("click", press);
  return element;
}

export function choice(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  chosen: (value: string) => void,
): HTMLSelectElement {
  const element = el("select", { "aria-label": label, title: label });
  for (const [key, text] of options) element.append(el("option", { value: key }, text));
  element.value = value;
  element.addEventListener("change", () => chosen(element.value));
  return element;
}
