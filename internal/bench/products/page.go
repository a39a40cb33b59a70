package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// page returns the section of BENCH.md.
func page(rows []*row) string {
	var b strings.Builder
	if of := rows[0].kind; of != floats32 {
		fmt.Fprintf(&b, "## Products by tiles\n\nWritten by `go run ./internal/bench/products -of %s`, as the section Products (%s/%s).\n"+
			"The peak is what as many products of tiles in registers reach.\n", of, runtime.GOOS, runtime.GOARCH)
	} else {
		floatsPage(&b)
	}
	b.WriteString(`
| size | threads | peak | bbgen | of the peak | packed | of the peak | OpenBLAS | ratio |
| --- | --: | --: | --: | --: | --: | --: | --: | --: |
`)
	for _, r := range rows {
		peak, raw, packed, npy := median(r.peak), median(r.raw), median(r.packed), median(r.npy)
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", r.n, r.threads, speed(peak),
			speed(raw), percent(raw, peak), speed(packed), percent(packed, peak), speed(npy), ratio(raw, npy))
	}
	return b.String()
}

// floatsPage writes the introduction of the products of float32.
func floatsPage(b *strings.Builder) {
	fmt.Fprintf(b, `## Products

Written by `+"`go run ./internal/bench/products -python python3`"+`: GFLOP/s of products of square float32 matrices at level %s
(%s/%s), medians of each contender, in turn, in one run. The peak is what as many fused multiply-adds on registers alone reach,
in turn with products. Packed is the product with a constant right operand, as weights are; OpenBLAS is NumPy's,
and the ratio is to the product of two plain matrices.
`, cpu.CurrentLevel(), runtime.GOOS, runtime.GOARCH)
}

// median returns the median, or 0 for an empty list.
func median(x []float64) float64 {
	return section.Median(x, func(v float64) float64 { return v })
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
