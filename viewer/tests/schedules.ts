// SPDX-License-Identifier: BSD-3-Clause
// The schedules that scripts/fixtures.sh wrote.
import { readdirSync, readFileSync } from "node:fs";
import { readPage } from "../src/load/document";
import type { Exchange } from "../src/model/exchange";

const folder = new URL("schedules/", import.meta.url);

export const scheduleNames: string[] = readdirSync(folder).map((name) => name.replace(/\.json$/, ""));

export const scheduleText = (name: string): string => readFileSync(new URL(`${name}.json`, folder), "utf8");

export const exchange = (name: string): Exchange => readPage(scheduleText(name)).exchanges[0]!;
