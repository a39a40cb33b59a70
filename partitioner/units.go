package partitioner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bytes formats a number of bytes for people.
func Bytes(n int64) string {
	switch f := float64(n); {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", f/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", f/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", f/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func count(f float64) string {
	switch {
	case f >= 1e9:
		return fmt.Sprintf("%.2fG", f/1e9)
	case f >= 1e6:
		return fmt.Sprintf("%.2fM", f/1e6)
	case f >= 1e3:
		return fmt.Sprintf("%.1fk", f/1e3)
	}
	return fmt.Sprintf("%.0f", f)
}

// sizes lists the sizes of symbols, or returns "" if there are none.
func sizes(what string, of map[string]int) string {
	if len(of) == 0 {
		return ""
	}
	var list []string
	for _, sym := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%s=%d", sym, of[sym]))
	}
	return what + strings.Join(list, ", ") + "\n"
}
