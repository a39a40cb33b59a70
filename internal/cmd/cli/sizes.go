package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sizes is a flag that maps names to positive numbers, as in batch=1,seq=128.
type sizes struct{ to *map[string]int }

// Set parses the flag and adds to its value.
func (s *sizes) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			return fmt.Errorf("%q, want NAME=SIZE", part)
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q, want a size of at least 1", name, number)
		}
		if *s.to == nil {
			*s.to = map[string]int{}
		}
		if had, ok := (*s.to)[name]; ok && had != n {
			return fmt.Errorf("%s is %d, and %d before: give one of them", name, n, had)
		}
		(*s.to)[name] = n
	}
	return nil
}

func (s *sizes) String() string {
	if s.to == nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(*s.to)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, (*s.to)[name]))
	}
	return strings.Join(parts, ",")
}

// Type returns the name of the value in help.
func (s *sizes) Type() string { return "sizes" }
