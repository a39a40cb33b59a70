package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// page is the section of BENCH.md; peaks are by threads.
func page(rows []*row, peaks map[int]float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Products

Written by `+"`go run ./internal/bench/products -python python3`"+`: GFLOP/s of products of square float32 matrices at level %s
(%s/%s), the fastest product of each contender, in turn, in one run. The peak is what fused multiply-adds on registers reach at
the same time: %s with one thread, %s with two. Packed is the product with a constant right operand, as weights are; OpenBLAS
is NumPy's, and the ratio is to the product of two plain matrices.

| size | threads | bbgen | of the peak | packed | of the peak | OpenBLAS | ratio |
| --- | --: | --: | --: | --: | --: | --: | --: |
`, cpu.CurrentLevel(), runtime.GOOS, runtime.GOARCH, speed(peaks[1]), speed(peaks[2]))
	for _, r := range rows {
		p := peaks[r.threads]
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %s | %s | %s |\n", r.n, r.threads,
			speed(r.raw), percent(r.raw, p), speed(r.packed), percent(r.packed, p), speed(r.npy), ratio(r.raw, r.npy))
	}
	return b.String()
}

func speed(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", x)
}

func percent(x, of float64) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*x/of)
}

func ratio(mine, theirs float64) string {
	if theirs == 0 {
		return "–"
	}
	return fmt.Sprintf("**%.2f**", mine/theirs)
}
