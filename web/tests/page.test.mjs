// The page as somebody uses it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture, put, settled, withPage } from "./setup.mjs";

const text = (page, selector) => page.locator(selector).textContent();

test("the page says that data stays local, and shows an example immediately", () =>
  withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    assert.match(await text(page, "header"), /Everything runs in this page/);
    await settled(page);
    assert.match(await text(page, "#masked"), /<MASK_PERSON_1>/);
    assert.match(await text(page, "#count"), /^\d+ found\.$/);
    await picture(page, "light");
  }));

test("values are found, highlighted and masked while typing", () =>
  withPage({}, async (page) => {
    await page.click("#clear");
    await page.locator("#input").pressSequentially("mail alice@example.com now");
    await settled(page);
    assert.equal(await text(page, "#masked"), "mail <MASK_EMAIL_1> now");
    assert.equal(await text(page, "#backdrop mark"), "alice@example.com");
    assert.match(await text(page, "#findings li"), /EMAIL.*alice@example\.com.*\d+ % · /);
    assert.equal(await text(page, "#count"), "1 found.");
  }));

test("markup in the input is shown as text", () =>
  withPage({}, async (page) => {
    const input = "<img src=x onerror=alert(1)> a@example.com <b>";
    await put(page, "#input", input);
    assert.equal(await text(page, "#masked"), "<img src=x onerror=alert(1)> <MASK_EMAIL_1> <b>");
    assert.equal(await page.locator("#backdrop img, #masked b").count(), 0);
  }));

test("choosing a finding selects it in the input", () =>
  withPage({}, async (page) => {
    await put(page, "#input", "é😀 bob@example.com and carol@example.com");
    await page.locator("#findings button").nth(1).click();
    const selected = await page.locator("#input").evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd));
    assert.equal(selected, "carol@example.com");
  }));

test("an invalid JSON body is refused with a reason, and nothing is shown as masked", () =>
  withPage({}, async (page) => {
    await page.selectOption("#form", "messages_style");
    await settled(page);
    assert.match(await text(page, "#masked"), /<MASK_API_KEY_\d+>/);
    await put(page, "#input", '{"messages": [');
    assert.match(await text(page, "#problem"), /not valid JSON/);
    assert.equal(await text(page, "#masked"), "");
    assert.equal(await page.getAttribute("#input", "aria-invalid"), "true");
  }));

test("a reply arrives in chunks of the chosen size, and a split token is held back", () =>
  withPage({}, async (page) => {
    await put(page, "#input", "to alice@example.com");
    await put(page, "#reply", "Sent to <MASK_EMAIL_1>.");
    await page.locator("#chunk").fill("12");
    assert.equal(await text(page, "#chunk-size"), "12 bytes");
    await page.click("#step");
    await settled(page);
    assert.equal(await text(page, "#arrived"), "Sent to <MAS");
    assert.equal(await text(page, "#restored"), "Sent to ");
    assert.equal(await text(page, "#held"), "<MAS");
    await page.click("#step");
    await settled(page);
    assert.equal(await text(page, "#restored"), "Sent to alice@example.com.");
    assert.equal(await text(page, "#held"), "");
    assert.match(await text(page, "#progress"), /^23 of 23 bytes arrived, 1 value restored\.$/);
    assert.ok(await page.locator("#step").isDisabled());
  }));

test("a streamed reply is restored event by event", () =>
  withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.selectOption("#form", "messages_style");
    await settled(page);
    await page.locator("#chunk").fill("64");
    for (let chunk = 0; chunk < 16; chunk += 1) {
      await page.click("#step");
      await settled(page);
    }
    assert.notEqual(await text(page, "#held"), "");
    await picture(page, "stream");
    await page.click("#end");
    await settled(page);
    const deltas = [...(await text(page, "#restored")).matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, delta]) => delta);
    assert.match(deltas.join(""), /I noted Mira Holt, mira\.holt@northwind\.example, \+1 415-555-0132, ghp_/);
  }));

test("a reply plays by itself", () =>
  withPage({}, async (page) => {
    await put(page, "#input", "to alice@example.com");
    await put(page, "#reply", "Sent to <MASK_EMAIL_1>, and that is all.");
    await page.click("#play");
    await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("40 of 40"));
    assert.equal(await text(page, "#restored"), "Sent to alice@example.com, and that is all.");
    await page.waitForFunction(() => document.getElementById("play").textContent === "Play");
  }));

test("a reply does not play with reduced motion", () =>
  withPage({ reducedMotion: "reduce" }, async (page) => {
    await put(page, "#input", "to alice@example.com");
    await put(page, "#reply", `${"word ".repeat(2000)}<MASK_EMAIL_1>`);
    await page.click("#play");
    await page.waitForFunction(() => document.getElementById("restored").textContent.endsWith("alice@example.com"));
  }));

test("word lists, patterns, allowed values, score, policy and operator take effect", () =>
  withPage({}, async (page) => {
    await page.click("#settings summary");
    await put(page, "#input", "Bluebird ABC-1234 a@example.com b@example.com");
    await put(page, "#terms", "PROJECT: Bluebird, Red Kite");
    await put(page, "#patterns", "TICKET: [A-Z]{3}-\\d{4}");
    await put(page, "#allow", "b@example.com");
    assert.equal(await text(page, "#masked"), "<MASK_PROJECT_1> <MASK_TICKET_2> <MASK_EMAIL_3> b@example.com");
    await page.selectOption("#policy", "strict");
    await put(page, "#only", "TICKET");
    assert.equal(await text(page, "#masked"), "Bluebird <MASK_TICKET_1> a@example.com b@example.com");
    await page.selectOption("#operator", "redact");
    await settled(page);
    assert.equal(await text(page, "#masked"), "Bluebird [REDACTED_TICKET] a@example.com b@example.com");
    await page.selectOption("#operator", "pseudonym");
    await page.selectOption("#policy", "default");
    await put(page, "#secret", "secret");
    assert.match(await text(page, "#masked"), /<MASK_EMAIL_[0-9A-F]{16}>/);
    await put(page, "#types", "-EMAIL");
    assert.match(await text(page, "#masked"), /a@example\.com/);
    await put(page, "#types", "");
    await page.locator("#built_in").uncheck();
    await settled(page);
    assert.match(await text(page, "#masked"), /a@example\.com/);
  }));

test("invalid settings are reported, and the previous ones stay in use", () =>
  withPage({}, async (page) => {
    await page.click("#settings summary");
    await put(page, "#patterns", "TICKET: [A-Z]{3}-\\d{4}");
    await put(page, "#patterns", "TICKET: (");
    assert.match(await text(page, "#patterns-error"), /TICKET/);
    assert.equal(await page.getAttribute("#patterns", "aria-invalid"), "true");
    await put(page, "#input", "ABC-1234 a@example.com");
    assert.equal(await text(page, "#masked"), "<MASK_TICKET_1> <MASK_EMAIL_2>");
    await picture(page, "settings");
    await put(page, "#patterns", "");
    assert.equal(await text(page, "#patterns-error"), "");
    assert.equal(await text(page, "#masked"), "ABC-1234 <MASK_EMAIL_1>");
  }));

test("every invalid setting is reported at once", () =>
  withPage({}, async (page) => {
    await page.click("#settings summary");
    for (const control of ["patterns", "types", "terms", "rules", "restore"]) await page.locator(`#${control}`).fill("(");
    await settled(page);
    for (const control of ["patterns", "types", "terms", "rules", "restore"]) {
      assert.notEqual(await text(page, `#${control}-error`), "", control);
      assert.equal(await page.getAttribute(`#${control}`, "aria-invalid"), "true");
    }
    assert.match(await text(page, "#settings-error"), /previous settings stay in use/);
  }));

test("the page lists the types it does not detect", () =>
  withPage({}, async (page) => {
    await settled(page);
    assert.match(await text(page, "#off"), /^Not looked for: .*LICENSE_PLATE.*\. /);
    await page.click("#settings summary");
    await put(page, "#types", "LICENSE_PLATE, -EMAIL");
    const off = await text(page, "#off");
    assert.ok(off.includes("EMAIL") && !off.includes("LICENSE_PLATE"), off);
  }));

test("the input is kept when the format changes", () =>
  withPage({}, async (page) => {
    const choose = async (form) => {
      await page.selectOption("#form", form);
      await settled(page);
      return page.locator("#input").inputValue();
    };
    await put(page, "#input", "my_name is a_b@example.com");
    assert.match(await choose("messages_style"), /"content": "my_name is a_b@example\.com"/);
    assert.match(await text(page, "#masked"), /my_name is <MASK_EMAIL_1>/);
    assert.match(await choose("chat_style"), /my_name is a_b@example\.com/);
    assert.equal(await choose("text"), "my_name is a_b@example.com");
    await choose("generic");
    await put(page, "#input", '{"own": "b@example.com"}');
    assert.equal(await choose("responses"), '{"own": "b@example.com"}');
    assert.equal(await choose("text"), '{"own": "b@example.com"}');
    await page.click("#example");
    assert.match(await choose("messages_style"), /Mira Holt/);
  }));

test("underscores in the findings are not cut off", () =>
  withPage({}, async (page) => {
    await settled(page);
    const [line, font] = await page.locator("#findings code").first().evaluate((code) => {
      const { lineHeight, fontSize } = getComputedStyle(code);
      return [parseFloat(lineHeight), parseFloat(fontSize)];
    });
    // What is cut off is not in any measure of the element, only in the picture.
    assert.ok(line >= 1.5 * font, `${line} of ${font}`);
  }));

test("a misspelt type of the strict policy is refused, and lets nothing through", () =>
  withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.click("#settings summary");
    await put(page, "#input", "a@example.com +1 415-555-0132");
    await page.selectOption("#policy", "strict");
    await put(page, "#only", "PHONE");
    assert.equal(await text(page, "#masked"), "a@example.com <MASK_PHONE_1>");
    await put(page, "#only", "PHONE, E_MAIL");
    assert.match(await text(page, "#only-error"), /E_MAIL/);
    assert.equal(await page.getAttribute("#only", "aria-invalid"), "true");
    await picture(page, "misspelt");
    await put(page, "#only", "PHONE, EMAIL");
    assert.equal(await text(page, "#only-error"), "");
    assert.equal(await text(page, "#masked"), "<MASK_EMAIL_1> <MASK_PHONE_2>");
    await put(page, "#only", "");
    assert.equal(await text(page, "#masked"), "<MASK_EMAIL_1> <MASK_PHONE_2>");
  }));

test("a link holds the settings, and never the text or the secret", () =>
  withPage({}, async (page, { context }) => {
    await page.click("#settings summary");
    await put(page, "#input", "top@example.com Bluebird é");
    await put(page, "#terms", "PROJECT: Bluebird é");
    await put(page, "#secret", "anchor-secret");
    await page.click("#share");
    const copied = await page.waitForFunction(async () => {
      const text = await navigator.clipboard.readText();
      return text.includes("#s=") && text;
    });
    const link = await copied.jsonValue();
    const held = Buffer.from(link.split("#s=")[1], "base64url").toString();
    assert.deepEqual(JSON.parse(held), { terms: "PROJECT: Bluebird é" });
    const other = await context.newPage();
    await other.goto(link);
    await settled(other);
    assert.equal(await other.inputValue("#terms"), "PROJECT: Bluebird é");
    assert.equal(await other.inputValue("#secret"), "");
  }));

test("a foreign link changes nothing", () =>
  withPage({ fragment: "#s=%%%" }, async (page) => {
    await settled(page);
    assert.match(await text(page, "#masked"), /<MASK_PERSON_1>/);
  }));

test("the page can load and run only its own files", () =>
  withPage({}, async (page) => {
    const response = await page.request.get(page.url());
    const policy = response.headers()["content-security-policy"];
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
    const html = await response.text();
    const inPage = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
    assert.equal(policy, `${inPage}; frame-ancestors 'none'`);
    assert.doesNotMatch(html, /\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)/);
  }));

test("everything is reached and used by keyboard", () =>
  withPage({}, async (page) => {
    const reached = [];
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const { id, tagName, className } = document.activeElement;
        return id || className || tagName.toLowerCase();
      });
      reached.push(at);
      if (at === "form") {
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowUp");
      }
      if (at === "input") {
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("dave@example.com");
        await settled(page);
      }
      if (at === "end") {
        await page.keyboard.press("Enter");
        await settled(page);
      }
      if (at === "summary") break;
    }
    for (const id of ["skip", "form", "example", "clear", "input", "copy", "masked", "reply", "chunk", "play", "end"]) {
      assert.ok(reached.includes(id), `${id} is not reached: ${reached}`);
    }
    assert.equal(await text(page, "#masked"), "<MASK_EMAIL_1>");
    assert.match(await text(page, "#restored"), /dave@example\.com/);
  }));

test("every control has an accessible name", () =>
  withPage({}, async (page) => {
    await page.click("#settings summary");
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("input, select, textarea, button, pre")]
        .filter((control) => !(control.labels?.length || control.textContent.trim() || control.getAttribute("aria-label") || control.getAttribute("aria-labelledby")))
        .map((control) => control.id),
    );
    assert.deepEqual(nameless, []);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`text is readable in ${colorScheme}`, () =>
    withPage({ colorScheme, viewport: { width: 1280, height: 900 } }, async (page) => {
      await page.click("#settings summary");
      await settled(page);
      await page.click("#end");
      await settled(page);
      await picture(page, `full-${colorScheme}`);
      assert.deepEqual(await page.evaluate(lowContrast), []);
    }));
}

test("the page fits on a phone", () =>
  withPage({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (page) => {
    await page.tap("#settings summary");
    await settled(page);
    await picture(page, "phone");
    const { wide, small } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      small: [...document.querySelectorAll("button, select")].filter((control) => control.offsetParent && control.offsetHeight < 40).map((control) => control.id),
    }));
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    assert.deepEqual(small, []);
  }));

test("the page works offline once it was opened", () =>
  withPage({}, async (page, { context }) => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await context.setOffline(true);
    await page.reload();
    await put(page, "#input", "off@example.com");
    assert.equal(await text(page, "#masked"), "<MASK_EMAIL_1>");
  }));

/** The texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3). */
function lowContrast() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = (color) => {
    const [r, g, b] = [...rgb(color)].slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (rgb(color)[3] > 250) return color;
    }
    return "white";
  };
  return [...document.querySelectorAll("body *:not(script, noscript, .backdrop, .backdrop *, .skip, :disabled, option)")]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => {
      const [one, other] = [getComputedStyle(element).color, behind(element)].map(luminance);
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      return [element.id || element.textContent.slice(0, 20), ratio];
    })
    .filter(([, ratio]) => ratio < 4.5);
}
