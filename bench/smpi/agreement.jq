# Reads the JSON lines of quadrille-smpi and the JSON arrays of quadrille simulate. Prints a row for each case.
def us: if . < 1e-3 then "\(. * 1e6 * 10 | round / 10) µs" else "\(. * 1e3 * 100 | round / 100) ms" end;
def ratio: . * 100 | round / 100;
def base: split(":")[0] as $id | $id + ((scan("radix=[0-9]+") // "") | if . == "" or . == "radix=2" then "" else ":" + . end);
[inputs | (input_filename | capture("agreement_(?<platform>[^_]+)_(?<what>[^.]+)\\.(?<by>[a-z]+)$")) as $file
 | if $file.by == "smpi" then {block: .block_bytes, algorithm, seconds} else .[] | .block_bytes as $block | .candidates[] | {block: $block, algorithm, seconds: (.end_ps * 1e-12)} end
 | . + $file]
| group_by([.platform, .what, (.algorithm | [scan("^[^:]+")][0]), ((.algorithm | [scan("radix=[0-9]+")][0]) // "radix=2"), .block])
| map({platform: .[0].platform, what: .[0].what, block: .[0].block, algorithm: (map(select(.by == "smpi"))[0].algorithm),
       smpi: map(select(.by == "smpi"))[0].seconds, events: map(select(.by == "events"))[0].seconds, rounds: map(select(.by == "rounds"))[0].seconds})
| sort_by(.platform, .what, .block, .algorithm)
| "| platform | collective | block | algorithm | SMPI | by events | price | events / SMPI | price / SMPI |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  (.[] | "| \(.platform) | \(.what) | \(.block) B | `\(.algorithm)` | \(.smpi | us) | \(.events | us) | \(.rounds | us) | \(.events / .smpi | ratio) | \(.rounds / .smpi | ratio) |")
