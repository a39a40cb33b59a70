package live

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Bars returns a histogram: counts of values in buckets of equal width from low to high.
func Bars(title string, counts []float64, low, high float64) string {
	var b strings.Builder
	e := html.EscapeString(title)
	fmt.Fprintf(&b, `<figure class=bars><figcaption>%s</figcaption><svg viewBox="0 0 %d 100" preserveAspectRatio=none role=img aria-label="%s, from %s to %s">`,
		e, 10*len(counts), e, Number(low), Number(high))
	most := slices.Max(append(counts[:len(counts):len(counts)], 1))
	for i, n := range counts {
		if n > 0 {
			h := max(100*n/most, 1)
			fmt.Fprintf(&b, `<rect x=%d y=%.1f width=9 height=%.1f />`, 10*i, 100-h, h)
		}
	}
	fmt.Fprintf(&b, "</svg><div class=axis><span>%s</span><span>%s</span></div></figure>", Number(low), Number(high))
	return b.String()
}
