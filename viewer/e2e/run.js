// SPDX-License-Identifier: BSD-3-Clause
// The viewer in a browser: every view at several numbers of ranks, and everything that a reader can do.
//   node e2e/run.js COMMAND    COMMAND is the built command, such as ../build/release/bin/quadrille
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, pageOf } from "./browser.js";

const command = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "quadrille-viewer-"));
const environment = { ...process.env, QUADRILLE_WISDOM: "off" };

function viewed(name, ...words) {
  const file = join(folder, `${name}.html`);
  execFileSync(command, ["view", ...words, "-o", file], { env: environment });
  return pathToFileURL(file).href;
}

const browser = await launch();
let failed = 0;

// Opens a page, and fails if it logs an error, such as a violation of its policy.
async function on(url, does, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 850 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => /^https?:/.test(request.url()) && errors.push(`request of ${request.url()}`));
  await page.goto(url);
  await does(page);
  assert.deepEqual(errors, []);
  await context.close();
}

async function check(name, body) {
  const begin = Date.now();
  try {
    await body();
    console.log(`passed: ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.message}`);
  }
}

const status = (page) => page.locator(".status").first().textContent();
const fragment = (page) => page.evaluate(() => location.hash);
const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

// How many colours a canvas has: a view that drew nothing has one.
const colours = (page, side) =>
  page
    .locator("main .pane canvas")
    .nth(side)
    .evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });

const pages = {
  5: viewed("bruck-5", "alltoall", "--algorithm", "bruck", "--ranks", "5"),
  16: viewed("torus-16", "alltoall", "--algorithm", "torus", "--topology", "torus:4x4"),
  64: viewed("bruck-64", "alltoall", "--algorithm", "bruck", "--ranks", "64"),
  256: viewed("bruck-256", "alltoall", "--algorithm", "bruck", "--ranks", "256"),
};

for (const [ranks, url] of Object.entries(pages))
  await check(`every view at ${ranks} ranks, light and dark`, async () => {
    for (const colorScheme of ["light", "dark"])
      await on(
        `${url}#round=1.5&rank=1`,
        async (page) => {
          for (const view of ["memory", "network", "time", "traffic"]) {
            await page.locator(`main .side:first-child [data-view=${view}]`).click();
            await settled(page);
            assert.ok((await colours(page, 0)) > 8, `${view} is empty`);
            assert.match(
              await page.locator("main .pane canvas").first().getAttribute("aria-label"),
              new RegExp(`${ranks} rank|round`),
            );
          }
          for (const view of ["figures", "text", "way", "findings"]) {
            await page.locator(`main .side:first-child [data-view=${view}]`).click();
            await settled(page);
            assert.ok((await page.locator("main .content").first().textContent()).length > 30, `${view} is empty`);
          }
        },
        { colorScheme },
      );
  });

// What share of a canvas has exactly this colour.
const shareOf = (page, colour) =>
  page
    .locator("main .pane canvas")
    .first()
    .evaluate((canvas, [r, g, b]) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) ++found;
      return (4 * found) / data.length;
    }, colour);

for (const ranks of [16, 64, 256])
  await check(`sends, receives and copies can be told apart at ${ranks} ranks`, () =>
    on(
      `${pages[ranks]}#views=time,network`,
      async (page) => {
        await settled(page);
        // As in src/views/look.ts.
        for (const [what, colour, least] of [
          ["sends", [0x4f, 0x9b, 0xd0], 0.15],
          ["receives", [0xe8, 0x93, 0x5a], 0.15],
          ["copies", [0x3a, 0xa5, 0x83], 0.002],
        ])
          assert.ok((await shareOf(page, colour)) > least, `${what} take ${await shareOf(page, colour)} of the view`);
      },
      { colorScheme: "light" },
    ),
  );

await check("step, scrub and keys", () =>
  on(pages[5], async (page) => {
    assert.match(await status(page), /^Round 0 .*level 0/);
    await page.keyboard.press("ArrowRight");
    assert.match(await status(page), /^Round 1 /);
    await page.keyboard.press("End");
    assert.match(await status(page), /^End, after 3 rounds/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await status(page), /^Round 2 /);
    await page.keyboard.press("Home");
    assert.match(await status(page), /^Round 0 /);
    await page.locator("input[type=range]").fill("1.5");
    assert.match(await status(page), /^Round 1 /);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await settled(page);
    assert.match(await fragment(page), /rank=1/);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.doesNotMatch(await fragment(page), /rank=/);
  }),
);

await check("play to the end", () =>
  on(pages[5], async (page) => {
    await page.getByLabel("Speed").selectOption("5");
    await page.locator("h1").click();
    await page.keyboard.press("Space");
    await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("End"));
  }),
);

await check("follow a block, by a click and by a search", () =>
  on(pages[5], async (page) => {
    await page.locator("main .side:nth-child(2) [data-view=way]").click();
    await page.getByRole("searchbox").fill("1>4");
    await page.keyboard.press("Enter");
    await settled(page);
    // 4 - 1 = 3 = 1 + 2: rounds 0 and 1
    assert.match(
      await page.locator("main .content").nth(1).textContent(),
      /round 0 rank 1 sends to 2.*round 1 rank 2 sends to 4/,
    );
    const way = await page.locator("main .content").nth(1).textContent();
    await page.keyboard.press("Escape");
    const canvas = page.locator("main .pane canvas").first();
    const box = await canvas.boundingBox();
    await canvas.click({ position: { x: box.width / 2, y: 58 } }); // the first block of rank 2
    await settled(page);
    assert.match(await fragment(page), /rank=2&block=2,0,8/);
    assert.notEqual(await page.locator("main .content").nth(1).textContent(), way);
  }),
);

await check("keys work again after a search, and Escape leaves the box", () =>
  on(pages[5], async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("2>4");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.match(await fragment(page), /block=2,/);
    await page.keyboard.press("ArrowRight");
    assert.match(await status(page), /^Round 1 /);
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("searchbox").inputValue(), "");
    await settled(page);
    assert.match(await fragment(page), /block=2,/);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.doesNotMatch(await fragment(page), /block=/);
  }),
);

await check("a fragment leads back", () =>
  on(`${pages[5]}#round=2&rank=3&block=1,32,8&views=traffic,text&colour=target`, async (page) => {
    assert.match(await status(page), /^Round 2 /);
    assert.match(await page.locator("main .content").nth(1).textContent(), /Program of rank 3/);
    assert.equal(await page.locator("main .content").nth(1).locator(".current").first().textContent(), "round 2 level 2");
    await settled(page);
    assert.equal(await fragment(page), "#round=2&rank=3&block=1,32,8&views=traffic,text&colour=target");
  }),
);

await check("the program of a rank is that of quadrille schedule", async () => {
  for (const words of [
    ["alltoall", "--algorithm", "direct", "--ranks", "6"],
    ["allgather", "--algorithm", "concatenation:ports=2", "--ranks", "9"],
    ["alltoallv", "--algorithm", "two-phase-bruck", "--ranks", "5"],
  ]) {
    const text = execFileSync(command, ["schedule", ...words], { env: environment }).toString();
    const printed = text.split("\n\n").find((part) => part.startsWith("rank 2 "));
    const expected = printed.split("\n").filter((line) => line.startsWith("  "));
    await on(`${viewed("program", ...words)}#rank=2&views=text,network`, async (page) => {
      await settled(page);
      const shown = await page.locator("main .content").first().locator("code").allTextContents();
      assert.deepEqual(
        shown,
        expected.map((line) => line.trim()),
      );
    });
  }
});

await check("compare two schedules", () =>
  on(
    viewed("compared", "alltoall", "--algorithm", "bruck:radix=2", "--algorithm", "bruck:radix=3", "--ranks", "8"),
    async (page) => {
      assert.match(await page.locator(".about").textContent(), /First difference in round 0/);
      assert.equal(await page.locator("main h2").count(), 2);
      await page.getByLabel("Go to the first difference").click();
      assert.match(await status(page), /^Round 0 /);
    },
  ),
);

await check("two schedules on one clock, both with their status, and the ratio", () =>
  on(viewed("race", "alltoall", "--algorithm", "bruck:radix=2", "--algorithm", "shift", "--ranks", "8"), async (page) => {
    const clock = page.getByLabel("Clock by which the page plays");
    const statuses = () => page.locator(".status").allTextContents();
    assert.match(await page.locator(".verdict").textContent(), /bruck 3 rounds, shift 7 rounds: bruck ends first, 2.33 times/);
    await clock.selectOption("latency");
    await settled(page);
    assert.match(await page.locator(".verdict").textContent(), /bruck 30 µs, shift 70 µs: bruck ends first, 2.33 times as fast/);
    await page.locator("input[type=range]").fill("3.5"); // the time at which bruck is done with 3 rounds is over
    await settled(page);
    assert.match((await statuses())[0], /^End, after 3 rounds/);
    assert.match((await statuses())[1], /^Round 3 \(4 of 7\)/);
    await clock.selectOption("bandwidth");
    await settled(page);
    assert.match(await page.locator(".verdict").textContent(), /shift ends first, 1.46 times as fast/);
    assert.match(await fragment(page), /pace=bandwidth/);
    await page.keyboard.press("Tab");
    await page.locator("h1").click();
    await page.keyboard.press("End");
    assert.ok((await statuses()).every((text) => text.startsWith("End")));
  }),
);

await check("the page says what happens, why a block moves, and what its words mean", () =>
  on(`${viewed("bruck-8", "alltoall", "--algorithm", "bruck:radix=2", "--ranks", "8")}#round=1&block=2,56,8`, async (page) => {
    assert.equal(await status(page), "Round 1 (2 of 3) · level 1 · 8 messages, longest 32 B");
    const says = await page.locator(".says").textContent();
    assert.match(says, /^Every rank sends the 4 blocks whose distance has bit 1 set to the rank 2 further\. Selected: 101/);
    assert.match(says, /2→7 has to go 5 = 101 \(base 2\); .* its digit there is 0, so it rests\.$/);
    assert.equal(await page.locator(".says mark").textContent(), "0");
    const words = page.locator(".help .words").first();
    assert.ok(!(await words.isVisible()));
    await page.locator(".help button").first().focus();
    assert.match(await words.textContent(), /corner mark/);
    assert.ok(await words.isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await words.isVisible()));
    const canvas = page.locator("main .pane canvas").first();
    const box = await canvas.boundingBox();
    let told = "";
    for (let y = 55; y < box.height && !/marked/.test(told); y += 8) {
      await canvas.hover({ position: { x: box.width / 2, y } });
      told = await page.locator("main .tip").first().textContent();
    }
    assert.match(told, /marked: goes to rank \d in this round/);
  }),
);

await check("reduced motion shows rounds, not flights", () =>
  on(
    `${pages[5]}#round=1`,
    async (page) => {
      const picture = () =>
        page
          .locator("main .pane canvas")
          .first()
          .evaluate((canvas) => canvas.toDataURL());
      await settled(page);
      const before = await picture();
      await page.locator("input[type=range]").fill("1.6");
      await settled(page);
      assert.equal(await picture(), before);
    },
    { reducedMotion: "reduce" },
  ),
);

await check("broken and foreign data give a sentence, and text stays text", async () => {
  const cases = [
    ["", /no data/],
    ["{", /not JSON/],
    ["[]", /no schedule/],
    ["7", /object/],
    ['{"format":"else/1"}', /format "else\/1"/],
    ['{"format":"quadrille-schedule/1","collective":"<img src=x onerror=alert(1)>"}', /<img src=x onerror=alert\(1\)>/],
  ];
  for (const [text, sentence] of cases)
    await on(pageOf("broken", text), async (page) => {
      assert.match(await page.locator("[role=alert]").textContent(), sentence);
      assert.equal(await page.locator("img").count(), 0);
    });
});

await check("a page that was cut says so, wherever that was", async () => {
  const whole = readFileSync(fileURLToPath(pages[5]), "utf8");
  for (const share of [0.1, 0.5, 0.9, 0.999]) {
    const cut = join(folder, "cut.html");
    writeFileSync(cut, whole.slice(0, share * whole.length));
    await on(pathToFileURL(cut).href, async (page) => {
      assert.match(await page.locator("body").innerText(), /^This page is incomplete: its file was cut/);
    });
  }
  await on(pages[5], async (page) => assert.doesNotMatch(await page.locator("body").innerText(), /incomplete/));
});

await check("the gallery: from the index through two lessons", async () => {
  const gallery = join(folder, "gallery");
  execFileSync(command, ["view", "--gallery", gallery], { env: environment });
  await on(pathToFileURL(join(gallery, "index.html")).href, async (page) => {
    const thumbnails = page.locator(".thumbnail img");
    await thumbnails.last().scrollIntoViewIfNeeded();
    await page.waitForFunction(() => {
      const last = [...document.querySelectorAll(".thumbnail img")].at(-1);
      return last.complete && last.naturalWidth > 50;
    });
    assert.equal(await thumbnails.count(), await page.locator(".index li").count());
    await page.getByRole("link", { name: /Ring/ }).first().click();
    assert.match(await status(page), /^Round 0 /);
    await page.getByRole("link", { name: /^next/ }).click();
    assert.match(await page.locator("h1").textContent(), /^2\. /);
    await settled(page);
    assert.ok((await colours(page, 0)) > 8);
  });
});

await check("a trace with simulated times", async () => {
  const trace = join(folder, "trace.json");
  execFileSync(command, ["trace", "alltoall", "--algorithm", "bruck", "--ranks", "8", "--machine", "sp2", "-o", trace], {
    env: environment,
  });
  await on(viewed("trace", trace), async (page) => {
    await settled(page);
    assert.match(await page.locator(".times canvas").getAttribute("aria-label"), /rounds, 3 rounds; simulated by rounds/);
  });
});

await check("a wrong schedule leads to its findings", async () => {
  const text = execFileSync(command, ["schedule", "alltoall", "--algorithm", "shift", "--ranks", "4"], {
    env: environment,
  }).toString();
  const wrong = join(folder, "wrong.sched");
  writeFileSync(wrong, text.replace(/  send to .*\n/, ""));
  const file = join(folder, "wrong.html");
  assert.equal(spawnSync(command, ["view", wrong, "-o", file], { env: environment }).status, 1);
  await on(pathToFileURL(file).href, async (page) => {
    assert.match(await page.locator("main .content").nth(1).textContent(), /finding/);
    await page.locator("main .content").nth(1).locator("[data-round]").first().click();
    await settled(page);
    assert.match(await fragment(page), /rank=/);
  });
});

await check("the page delivers nothing where lengths differ, as the verifier", async () => {
  const text = execFileSync(command, ["schedule", "alltoall", "--algorithm", "shift", "--ranks", "6"], {
    env: environment,
  }).toString();
  const wrong = join(folder, "lengths.sched");
  writeFileSync(wrong, text.replace("send to 2 input[16:8]", "send to 2 input[16:4]"));
  const file = join(folder, "lengths.html");
  assert.equal(spawnSync(command, ["view", wrong, "-o", file], { env: environment }).status, 1);
  await on(`${pathToFileURL(file).href}#round=5&views=way,memory&block=0,16,8`, async (page) => {
    assert.match(await page.locator("main .content").first().textContent(), /end held by rank 0$/);
  });
});

await check("the figures of a network are those of verify", async () => {
  const words = ["alltoall", "--algorithm", "direct", "--topology", "fat-tree:4"];
  const printed = JSON.parse(execFileSync(command, ["verify", ...words, "--json"], { env: environment }).toString());
  const counted = [printed].flat()[0];
  await on(`${viewed("fat-tree", ...words)}#views=figures,memory`, async (page) => {
    const row = (name) => page.locator("main .content").first().locator("tr", { hasText: name }).first().locator("td").first();
    assert.equal(await row("C2 with sharing").textContent(), `${counted.c2_shared} B`);
    assert.equal(await row("sharing").textContent(), String(counted.sharing));
    assert.equal(await row("with output").textContent(), `${counted.output_and_scratch} B`);
  });
});

await check("reports of races", async () => {
  const entry = (name, median) => ({
    algorithm: name,
    median_s: median,
    lower_s: median * 0.9,
    upper_s: median * 1.1,
    c1: 1,
    c2: 8,
  });
  const race = {
    collective: "alltoall",
    ranks: 4,
    sizes: [8, 1024].map((bytes) => ({ block_bytes: bytes, entries: [entry("direct", 1e-6), entry("bruck", 2e-6)] })),
  };
  await on(pageOf("race", JSON.stringify(race)), async (page) => {
    assert.equal(await page.locator("h1").textContent(), "alltoall on 4 ranks");
    const drawn = await page.locator(".curves canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(drawn > 8, "the curves are drawn without a click");
    assert.equal(await page.locator(".map button").count(), 2);
    await page.locator(".map button").nth(1).click();
    assert.equal(await page.getByRole("combobox").inputValue(), "1");
    assert.match(await page.locator(".losers").textContent(), /the fastest/);
  });
});

await check("the report of a run has a timeline, late ranks and traffic", async () => {
  const report = {
    format: "quadrille-report",
    program: "./app",
    mpi: "MPICH",
    world_size: 2,
    seconds: 2,
    share: 0.5,
    communicators: [{ name: "MPI_COMM_WORLD" }],
    ranks: [0, 1].map((rank) => ({ rank, host: "a", state: "ended", seconds: 2, collective_seconds: 1 })),
    balance: { late_s: 0.1 },
    rows: [],
    costliest_calls: [0, 1].map((rank) => ({
      rank,
      begin_s: 1,
      seconds: 0.5,
      collective: "Alltoall",
      communicator: 0,
      block_bytes: 64,
      by_ours: rank === 0,
    })),
    traffic_bytes: [
      [0, 1],
      [2, 0],
    ],
  };
  await on(pageOf("run", JSON.stringify(report)), async (page) => {
    assert.deepEqual(await page.locator("h2").allTextContents(), [
      "When the costliest calls happened",
      "Calls by kind, the costliest first",
      "Late ranks",
      "Traffic",
    ]);
    assert.match(await page.locator(".figure canvas").first().getAttribute("aria-label"), /^Timeline of .* 2 ranks/);
    assert.match(await page.locator(".losers").first().textContent(), /Alltoall, 64 B, MPI_COMM_WORLD.*500 ms.*Quadrille/);
  });
});

await check("the time lines of a projected run: look closer, move, and read a piece", async () => {
  const side = (title) => ({
    title,
    rank: [0, 0, 0, 1, 1],
    part: [0, 1, 2, 0, 2],
    name: [0, 1, 2, 0, 2],
    detail: [0, 1, 1, 0, 1],
    last_rank: [-1, 1, 1, -1, 1],
    begin_ns: [0, 1000, 1500, 0, 1500],
    end_ns: [1000, 1500, 2000, 1500, 2000],
  });
  const timeline = {
    format: "quadrille-timeline/1",
    title: "./app: 2 ranks on 1 node of hdr",
    sentence: "nothing to gain: your ranks wait for each other",
    text: "This page has 2 calls of all ranks.",
    ranks: 2,
    names: ["computing", "waiting for late ranks", "Alltoall 64 B"],
    details: ["", "bruck, MPI_COMM_WORLD"],
    sides: [side("Open MPI 4.1"), side("ours")],
  };
  for (const colorScheme of ["light", "dark"])
    await on(
      pageOf("projection", JSON.stringify(timeline)),
      async (page) => {
        await settled(page);
        assert.match(await page.locator("h1").textContent(), /2 ranks on 1 node of hdr/);
        const canvas = page.locator(".figure canvas");
        const drawn = await canvas.evaluate((shown) => {
          const { data } = shown.getContext("2d").getImageData(0, 0, shown.width, shown.height);
          return new Set(new Uint32Array(data.buffer)).size;
        });
        assert.ok(drawn > 4, `${drawn} colours`);
        const cells = () => page.locator("tbody td").allTextContents();
        assert.deepEqual((await cells()).slice(0, 9), [
          ...["computing", "1.25 µs", "1.25 µs"],
          ...["waiting for late ranks", "250 ns", "250 ns"],
          ...["in collectives", "500 ns", "500 ns"],
        ]);
        await page.getByLabel("look closer").click(); // 500 to 1500 ns
        assert.equal((await cells())[1], "750 ns");
        await page.getByLabel("later", { exact: true }).click(); // 1000 to 2000 ns
        assert.equal((await cells())[1], "250 ns");
        const { width } = await canvas.boundingBox();
        await canvas.hover({ position: { x: 0.9 * width, y: 28 } });
        assert.match(
          await page.locator(".facts").textContent(),
          /Open MPI 4.1, rank 0: Alltoall 64 B, 500 ns from 1.5 µs on; bruck, MPI_COMM_WORLD; rank 1 entered last/,
        );
        await canvas.press("Home");
        assert.equal((await cells())[1], "1.25 µs");
      },
      { colorScheme },
    );
});

async function framesPerSecond(name, url) {
  await on(url, async (page) => {
    await page.getByLabel("Speed").selectOption("0.5");
    const times = await page.evaluate(
      () =>
        new Promise((done) => {
          const play = document.querySelector('[aria-label^="Play"]');
          const begin = performance.now();
          const frames = [];
          const tick = (now) => {
            frames.push(now);
            const button = document.querySelector('[aria-label^="Play"]');
            if (button) button.click(); // from the beginning again
            if (now - begin < 10_000) requestAnimationFrame(tick);
            else done(frames);
          };
          play.click();
          requestAnimationFrame(tick);
        }),
    );
    const gaps = times
      .slice(1)
      .map((time, i) => time - times[i])
      .sort((a, b) => a - b);
    console.log(
      `${name}: median ${(1000 / gaps[gaps.length >> 1]).toFixed(1)} frames a second, worst frame ${gaps.at(-1).toFixed(0)} ms`,
    );
  });
}

await check("frames a second at 256 ranks", async () => {
  await framesPerSecond("bruck, 256 ranks", pages[256]);
  await framesPerSecond("direct, 256 ranks", viewed("direct-256", "alltoall", "--algorithm", "direct", "--ranks", "256"));
});

await browser.close();
process.exit(failed ? 1 : 0);
