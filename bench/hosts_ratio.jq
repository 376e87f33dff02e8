# Reads the JSON of one race. Prints a line of tab-separated fields: the candidate with the least ratio to the vendor's time among
# those that do not need counts=known ($once), and among all candidates ($best).
def percent: . * 100 | round / 100;
.ranks as $ranks
| .sizes[]
| (.entries | map(select(.algorithm == "vendor")) | first) as $vendor
| (.entries | map(select(.algorithm != "vendor" and .checked and .ratio != null))) as $ours
| ($ours | map(select(.algorithm | contains("counts=known") | not)) | min_by(.ratio.median)) as $once
| ($ours | min_by(.ratio.median)) as $best
| [$mpi, $ranks, $pattern, ($vendor.median_s * 1e3),
   ($once.ratio.median | percent), "\($once.ratio.least | percent)..\($once.ratio.most | percent)", $once.algorithm,
   ($best.ratio.median | percent), $best.algorithm]
| @tsv
