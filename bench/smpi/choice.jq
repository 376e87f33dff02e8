# Reads the JSON lines of quadrille-smpi. Prints a row for each case, and geometric means.
def us: if . < 1e-3 then "\(. * 1e6 * 10 | round / 10) µs" else "\(. * 1e3 * 100 | round / 100) ms" end;
def ratio: . * 100 | round / 100;
def mean: if length == 0 then "–" else map(log) | add / length | exp | ratio end;
def bytes: capture("(?<count>[0-9]+)(?<unit>.*)") | (.count | tonumber) * {B: 1, KiB: 1024, MiB: 1048576}[.unit];
[inputs | . + (input_filename | capture("choice_(?<platform>[^_]+)_(?<what>.+)_(?<size>[^_]+)\\.(?<by>[a-z0-9]+)\\.smpi$")) | .block = (.size | bytes)]
| group_by([.platform, .what, .block])
| map({platform: .[0].platform, what: .[0].what, block: .[0].block, ours: map(select(.by == "ours"))[0],
       others: (map(select(.by != "ours")) | sort_by(.seconds))})
| map(. + {gain: (.others[0].seconds / .ours.seconds)})
| "| platform | collective | block | best price | takes | best selector | takes | times faster |",
  "| --- | --- | --- | --- | --- | --- | --- | --- |",
  (.[] | "| \(.platform) | \(.what) | \(.block) B | `\(.ours.algorithm)` | \(.ours.seconds | us) | \(.others[0].by) | \(.others[0].seconds | us) | \(.gain | ratio) |"),
  "",
  "Least: \(map(.gain) | min | ratio). Geometric means: all \(map(.gain) | mean), up to 256 B \(map(select(.block <= 256).gain) | mean), skewed alltoallv \(map(select(.what | test("spike|transpose")).gain) | mean)."
