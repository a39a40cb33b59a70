package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// levels parses the value of -level: "" is the machine's best level, all is every level with vector instructions,
// and otherwise it is a list of levels. The result begins with the highest level.
func levels(value string, has []cpu.Level) ([]cpu.Level, error) {
	best := slices.Clone(has)
	slices.Reverse(best)
	switch value {
	case "":
		return best[:1], nil
	case "all":
		if len(best) > 1 { // the last one is portable
			best = best[:len(best)-1]
		}
		return best, nil
	}
	var out []cpu.Level
	names := strings.Split(value, ",")
	for _, l := range best {
		if i := slices.Index(names, l.String()); i >= 0 {
			out, names = append(out, l), slices.Delete(names, i, i+1)
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("-level names %q; this machine has %v, and all is each of them but portable", names, has)
	}
	return out, nil
}
