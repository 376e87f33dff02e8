# Reads the JSON of one race. Prints for each size the candidate with the least ratio to the vendor's time, as a line of
# tab-separated fields.
def micro: . * 1e7 | round / 10;
def percent: . * 100 | round / 100;
.sizes[]
| (.entries | map(select(.algorithm == "vendor")) | first) as $vendor
| (.entries | map(select(.algorithm != "vendor" and .checked and .ratio != null)) | min_by(.ratio.median)) as $best
| [.block_bytes, ($best.ratio.median | percent), "\($best.ratio.lower | percent)..\($best.ratio.upper | percent)",
   ($best.median_s | micro), ($vendor.median_s | micro), "\($best.algorithm), \($best.executor)"]
| @tsv
