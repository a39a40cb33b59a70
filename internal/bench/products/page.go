package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// page returns the section of BENCH.md.
func page(rows []*row) string {
	var b strings.Builder
	if of := rows[0].kind; of != floats32 {
		fmt.Fprintf(&b, "## Products of %s by tiles\n\nWritten by `go run ./internal/bench/products -of %[1]s`, as the section Products (%s/%s).\n"+
			"The peak is what as many products of tiles in registers reach, just after those of the matrices.\n", of, runtime.GOOS, runtime.GOARCH)
	} else {
		floatsPage(&b)
	}
	b.WriteString(`
| size | threads | peak | bbgen | of the peak | packed | of the peak | OpenBLAS | ratio |
| --- | --: | --: | --: | --: | --: | --: | --: | --: |
`)
	for _, r := range rows {
		raw, packed, npy := section.Median(r.raw, speedOf), section.Median(r.packed, speedOf), median(r.npy)
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", r.n, r.threads, speed(section.Median(slices.Concat(r.raw, r.packed), peakOf)),
			speed(raw), percent(r.raw), speed(packed), percent(r.packed), speed(npy), ratio(raw, npy))
	}
	return b.String()
}

// floatsPage writes the introduction of the products of float32.
func floatsPage(b *strings.Builder) {
	fmt.Fprintf(b, `## Products

Written by `+"`go run ./internal/bench/products -python python3`"+`: GFLOP/s of products of square float32 matrices at level %s
(%s/%s), medians of each contender, in turn, in one run. The peak is what as many fused multiply-adds on registers alone reach,
in turn with products, and their part of it is that of the moment. Packed is the product with a constant right operand, as weights are; OpenBLAS is NumPy's,
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

// percent returns the median of the parts of the peak that intervals reach.
func percent(all []interval) string {
	if section.Median(all, peakOf) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*section.Median(all, func(i interval) float64 { return i.speed / i.peak }))
}

func ratio(mine, theirs float64) string {
	if theirs == 0 {
		return "–"
	}
	return fmt.Sprintf("**%.2f**", mine/theirs)
}
