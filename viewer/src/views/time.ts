// SPDX-License-Identifier: BSD-3-Clause
// The time view: what each rank does and waits for, by one clock after the other, one below the other.
import { scaleLinear } from "d3-scale";
import { localPart, positionAt, roundTimes, timeAt } from "../model/clock";
import type { Clock, Exchange, Round } from "../model/exchange";
import { formatBytes, formatTime, plural } from "../model/format";
import { largest } from "../model/numbers";
import { font } from "./look";
import { shortened } from "./shortened";
import { drawStill } from "./still";
import { middleOf, type Rows, rowsFor, sampleText } from "./time_rows";
import { type CanvasView, type Frame, labelStep, type Pick, remembered } from "./view";

interface Lane {
  readonly clock: Clock;
  readonly times: Float64Array;
  readonly top: number; // of the rows
  readonly rows: Rows;
  readonly x: (time: number) => number;
  readonly time: (x: number) => number;
}

const left = 58;
const right = 14;
const headHeight = 36;
const legendWidth = 320;
const leastForLegend = 480; // on narrower pages the title needs the room

const lanesFor = remembered(
  (
    exchange: Exchange,
    width: number,
    height: number,
    selected: number | undefined,
    race: Clock | undefined,
    until: number,
  ): Lane[] => {
    const clocks = race ? [race] : exchange.clocks;
    const each = height / clocks.length;
    return clocks.map((clock, i) => {
      const times = roundTimes(exchange, clock);
      const scale = scaleLinear([0, Math.max(times.at(-1)!, until, 1e-9)], [left, width - right]);
      const rows = rowsFor(exchange.ranks, each - headHeight - 8, selected);
      return { clock, times, top: i * each + headHeight, rows, x: (time) => scale(time), time: (x) => scale.invert(x) };
    });
  },
);

// In a race all exchanges have the same scale.
const lanesOf = ({ exchange, width, height, selection, race }: Frame): Lane[] =>
  lanesFor(exchange, width, height, selection.rank, race?.clock, race?.end ?? 0);

// The longest message of each round, by which bars of the logical time are drawn.
const longest = remembered((exchange: Exchange): number[] =>
  exchange.rounds.map((round) => largest(round.messages.map((message) => message.bytes))),
);

// How much of the time for messages in a round a message takes: at least a visible part.
const shareOf = (bytes: number, most: number): number => (most === 0 ? 1 : Math.max(0.12, bytes / most));

// When a message of this share begins and ends in logical time.
function logicalTimes(round: Round, share: number): [number, number] {
  const begin = localPart(round);
  return [round.number + begin, round.number + begin + share * (1 - begin)];
}

// A bar in a row: over its upper half, its lower half, or all of it.
function bar(
  canvas: CanvasRenderingContext2D,
  lane: Lane,
  row: number,
  part: "upper" | "lower" | "whole",
  begin: number,
  end: number,
  colour: string,
): void {
  if (begin < 0 || end < begin) return;
  const { height } = lane.rows;
  const gap = height > 4 ? 1 : 0;
  const top = Math.round(lane.top + row * height);
  const bottom = Math.max(top + 1, Math.round(lane.top + (row + 1) * height) - gap);
  const middle = Math.round((top + bottom) / 2);
  const [x1, x2] = [lane.x(begin), lane.x(end)];
  const [y1, y2] = part === "whole" ? [top, bottom] : part === "upper" ? [top, middle] : [middle, bottom];
  canvas.fillStyle = colour;
  canvas.fillRect(x1, y1, Math.max(0.75, x2 - x1 - gap), y2 - y1);
}

// In logical time a round lasts as long as its longest message: shorter ones leave time to wait.
function drawLogical(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  const { exchange, look } = frame;
  for (const round of exchange.rounds) {
    if (round.messages.length === 0) continue;
    const most = longest(exchange)[round.number]!;
    const [sent, received] = [new Float64Array(exchange.ranks), new Float64Array(exchange.ranks)];
    for (const message of round.messages) {
      if (message.ends !== "receiver") sent[message.from] = Math.max(sent[message.from]!, shareOf(message.bytes, most));
      if (message.ends !== "sender") received[message.to] = Math.max(received[message.to]!, shareOf(message.bytes, most));
    }
    lane.rows.ranks.forEach((rank, row) => {
      bar(canvas, lane, row, "whole", round.number, round.number + 1, look.wait);
      if (received[rank]! > 0) bar(canvas, lane, row, "lower", ...logicalTimes(round, received[rank]!), look.receive);
      if (sent[rank]! > 0) bar(canvas, lane, row, "upper", ...logicalTimes(round, sent[rank]!), look.send);
    });
  }
  const rowOf = rowsByRank(lane, exchange.ranks);
  for (const round of exchange.rounds)
    for (const local of round.locals) {
      const row = rowOf[local.rank]!;
      if (row >= 0) bar(canvas, lane, row, "whole", round.number, round.number + localPart(round), look.copy);
    }
}

const rowsByRank = (lane: Lane, ranks: number): number[] => {
  const rows = new Array<number>(ranks).fill(-1);
  lane.rows.ranks.forEach((rank, row) => (rows[rank] = row));
  return rows;
};

function drawMeasured(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  const { exchange, look } = frame;
  const { clock } = lane;
  const rowOf = rowsByRank(lane, exchange.ranks);
  const draw = (rank: number, part: "upper" | "lower" | "whole", begin: number, end: number, colour: string) => {
    if (rowOf[rank]! >= 0) bar(canvas, lane, rowOf[rank]!, part, begin, end, colour);
  };
  for (const wait of clock.waits) draw(wait.rank, "whole", wait.begin, wait.end, look.wait);
  for (const { index, from, to, ends } of exchange.messages) {
    if (ends !== "sender") draw(to, "lower", clock.receiveBegin[index]!, clock.receiveEnd[index]!, look.receive);
    if (ends !== "receiver") draw(from, "upper", clock.sendBegin[index]!, clock.sendEnd[index]!, look.send);
  }
  if (clock.localBegin)
    for (const round of exchange.rounds)
      for (const { index, rank } of round.locals)
        draw(rank, "whole", clock.localBegin[index]!, clock.localEnd![index]!, look.copy);
  for (const packing of clock.packing) draw(packing.rank, "whole", packing.begin, packing.end, look.copy);
}

function drawHead(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  const { exchange, look } = frame;
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  canvas.font = font(12, 600);
  canvas.fillStyle = look.text;
  const logical = lane.clock.kind === "logical";
  const title = logical ? "rounds" : `${lane.clock.title}: ${formatTime(lane.clock.end, lane.clock.unit)}`;
  canvas.fillText(title, 8, lane.top - 26);
  const { rank } = frame.selection;
  const arrows = rank === undefined ? 1 : Math.ceil(messagesOf(exchange, rank).length / mostArrows);
  const sample = [
    sampleText(lane.rows, exchange.ranks),
    arrows > 1 ? `an arrow for every ${arrows} messages of rank ${rank}` : "",
  ]
    .filter(Boolean)
    .join("; ");
  if (sample) {
    const at = 8 + canvas.measureText(title).width + 14;
    canvas.font = font(11);
    canvas.fillStyle = look.muted;
    const room = frame.width - at - (lane.top === headHeight ? legendWidth : right);
    canvas.fillText(canvas.measureText(sample).width <= room ? sample : sample.split(";")[0]!, at, lane.top - 26);
  }
  canvas.font = font(11);
  canvas.textAlign = "center";
  canvas.fillStyle = look.muted;
  let free = left - 4;
  if (logical) {
    for (const [i, stage] of exchange.stages.entries()) {
      if (stage.rounds === 0) continue;
      const [x1, x2] = [lane.x(stage.first), lane.x(stage.first + stage.rounds)];
      if (i % 2 === 0) {
        canvas.fillStyle = look.slot;
        canvas.fillRect(x1, lane.top - 12, x2 - x1, 10);
      }
      const whole = stage.rounds > 1 ? `${stage.name} (${plural(stage.rounds, "round")})` : stage.name;
      const label = shortened(canvas, whole, x2 - x1 - 4);
      const wide = canvas.measureText(label).width;
      canvas.fillStyle = look.muted;
      const at = (x1 + x2) / 2;
      if (wide < x2 - x1 && at - wide / 2 > free) {
        canvas.fillText(label, at, lane.top - 7);
        free = at + wide / 2 + 6;
      }
    }
  } else {
    for (const tick of scaleLinear([0, lane.times.at(-1)!], [0, 1]).ticks(6)) {
      const x = lane.x(tick);
      canvas.fillRect(x, lane.top - 4, 1, 4);
      canvas.fillText(formatTime(tick, lane.clock.unit), Math.min(x, frame.width - 34), lane.top - 9);
    }
  }
}

// What the colours mean, at the right above the first lane.
function drawLegend(canvas: CanvasRenderingContext2D, frame: Frame): void {
  const { look } = frame;
  if (frame.width < leastForLegend) return; // the question mark beside the tabs explains the bars
  canvas.font = font(11);
  canvas.textBaseline = "middle";
  canvas.textAlign = "left";
  let x = frame.width - right;
  for (const [name, colour] of [
    ["waits", look.wait],
    ["copies, combines", look.copy],
    ["receives", look.receive],
    ["sends", look.send],
  ] as const) {
    x -= canvas.measureText(name).width;
    canvas.fillStyle = look.muted;
    canvas.fillText(name, x, 10);
    x -= 14;
    canvas.fillStyle = colour;
    canvas.fillRect(x, 5, 10, 10);
    x -= 12;
  }
}

function drawRows(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  const { look, selection } = frame;
  const { ranks, height } = lane.rows;
  const every = labelStep(12, height);
  canvas.textAlign = "right";
  canvas.textBaseline = "middle";
  const chosenRow = selection.rank === undefined ? -every : ranks.indexOf(selection.rank);
  ranks.forEach((rank, row) => {
    const chosen = row === chosenRow;
    if (!chosen && (row % every !== 0 || Math.abs(row - chosenRow) < every)) return;
    canvas.font = font(Math.min(12, Math.max(9, height)), chosen ? 700 : 400);
    canvas.fillStyle = chosen ? look.accent : look.muted;
    canvas.fillText(`${rank}`, left - 8, lane.top + (row + 0.5) * height);
  });
  if (selection.rank === undefined) return;
  canvas.strokeStyle = look.accent;
  canvas.lineWidth = 1.5;
  const top = lane.top + (middleOf(lane.rows, selection.rank) - 0.5) * height;
  canvas.strokeRect(left - 1, top - 1, frame.width - left - right + 2, height + 1);
}

// Where findings are: the round at their rank, or at all ranks.
function drawFindings(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  if (lane.clock.kind !== "logical") return;
  canvas.strokeStyle = frame.look.wrong;
  canvas.lineWidth = 2;
  const { ranks, findings } = frame.exchange;
  for (const { rank, round } of findings) {
    if (round === undefined || round >= frame.exchange.rounds.length || (rank !== undefined && rank >= ranks)) continue;
    const { rows, top } = lane;
    const [first, count] = rank === undefined ? [0, rows.ranks.length] : [middleOf(rows, rank) - 0.5, 1];
    canvas.strokeRect(
      lane.x(round) + 1,
      top + first * rows.height,
      lane.x(round + 1) - lane.x(round) - 2,
      Math.max(2, count * rows.height - 1),
    );
  }
}

const mostArrows = 128; // more cover what is below them

const messagesOf = remembered((exchange: Exchange, rank: number) =>
  exchange.messages.filter((message) => message.ends === "both" && (message.from === rank || message.to === rank)),
);

function drawArrows(canvas: CanvasRenderingContext2D, frame: Frame, lane: Lane): void {
  const { exchange, look, selection } = frame;
  if (selection.rank === undefined) return;
  const y = (rank: number) => lane.top + middleOf(lane.rows, rank) * lane.rows.height;
  canvas.lineWidth = 1.2;
  const all = messagesOf(exchange, selection.rank);
  const every = Math.ceil(all.length / mostArrows);
  const ofRank = all.filter((_, i) => i % every === 0);
  canvas.globalAlpha = ofRank.length > 64 ? 0.35 : 0.9;
  for (const { index, from, to, bytes, round } of ofRank) {
    const { clock } = lane;
    const [begin, end] =
      clock.kind === "logical"
        ? logicalTimes(exchange.rounds[round]!, shareOf(bytes, longest(exchange)[round]!))
        : [clock.sendBegin[index]!, clock.receiveEnd[index]!];
    if (begin < 0 || end < 0) continue;
    canvas.strokeStyle = from === selection.rank ? look.text : look.accent;
    canvas.beginPath();
    canvas.moveTo(lane.x(begin), y(from));
    canvas.lineTo(lane.x(end), y(to));
    canvas.stroke();
    const angle = Math.atan2(y(to) - y(from), lane.x(end) - lane.x(begin));
    canvas.beginPath();
    for (const side of [-0.4, 0.4]) {
      canvas.moveTo(lane.x(end), y(to));
      canvas.lineTo(lane.x(end) - 6 * Math.cos(angle + side), y(to) - 6 * Math.sin(angle + side));
    }
    canvas.stroke();
  }
  canvas.globalAlpha = 1;
}

// Everything but the cursor.
function drawLanes(canvas: CanvasRenderingContext2D, frame: Frame, lanes: readonly Lane[]): void {
  drawLegend(canvas, frame);
  for (const lane of lanes) {
    if (lane.clock.kind === "logical") drawLogical(canvas, frame, lane);
    else drawMeasured(canvas, frame, lane);
    drawHead(canvas, frame, lane);
    drawRows(canvas, frame, lane);
    drawFindings(canvas, frame, lane);
    drawArrows(canvas, frame, lane);
    drawFinish(canvas, frame, lane);
  }
}

// The line at which the exchange is done, where another one takes longer.
function drawFinish(canvas: CanvasRenderingContext2D, { look, race }: Frame, lane: Lane): void {
  if (!race || race.finish >= race.end) return;
  const x = lane.x(race.finish);
  canvas.fillStyle = look.text;
  for (let y = lane.top - 4, i = 0; y < bottomOf(lane); y += 5, ++i) canvas.fillRect(i % 2 ? x : x + 4, y, 4, 5);
  canvas.font = font(12, 600);
  canvas.textAlign = "left";
  canvas.textBaseline = "middle";
  const { clock } = race;
  const when = clock.unit === "round" ? plural(race.finish, "round") : formatTime(race.finish, clock.unit);
  canvas.fillText(`done after ${when}`, x + 14, (lane.top + bottomOf(lane)) / 2);
}

const bottomOf = (lane: Lane): number => lane.top + lane.rows.ranks.length * lane.rows.height;

function pick(frame: Frame, x: number, y: number): Pick | undefined {
  const lane = lanesOf(frame).find((entry) => y >= entry.top - headHeight && y < bottomOf(entry) + 4);
  if (!lane || x < left - 40 || x > frame.width - right + 4) return undefined;
  const rank = lane.rows.ranks[Math.floor((y - lane.top) / lane.rows.height)];
  const position = positionAt(lane.times, Math.max(0, lane.time(Math.max(left, x))));
  const round = frame.exchange.rounds[Math.min(Math.floor(position), frame.exchange.rounds.length - 1)];
  if (!round) return undefined;
  const of = round.messages.filter((message) => message.from === rank || message.to === rank);
  const words = of
    .slice(0, 3)
    .map((m) =>
      m.from === rank ? `sends ${formatBytes(m.bytes)} to ${m.to}` : `receives ${formatBytes(m.bytes)} from ${m.from}`,
    );
  const what =
    rank === undefined
      ? ""
      : `, rank ${rank} ${words.join(", ") || "is idle"}${of.length > 3 ? `, and ${of.length - 3} more` : ""}`;
  return {
    text: `round ${round.number}${what}`,
    selection: x < left || rank !== undefined ? { rank } : {},
    position: x < left ? undefined : position,
  };
}

export const time: CanvasView = {
  name: "time",
  draw(canvas, frame) {
    const lanes = lanesOf(frame);
    drawStill(canvas, frame, "time", [frame.selection.rank, frame.race?.clock, frame.race?.end], (still) =>
      drawLanes(still, frame, lanes),
    );
    canvas.fillStyle = frame.look.accent;
    for (const lane of lanes)
      canvas.fillRect(lane.x(timeAt(lane.times, frame.position)) - 1, lane.top - 4, 2, bottomOf(lane) - lane.top + 8);
  },
  pick,
  describe(frame) {
    const clocks = frame.exchange.clocks.map(
      (clock) => `${clock.title}, ${clock.unit === "round" ? plural(clock.end, "round") : formatTime(clock.end, clock.unit)}`,
    );
    return `What each of ${plural(frame.exchange.ranks, "rank")} does over time: ${clocks.join("; ")}.`;
  },
};
