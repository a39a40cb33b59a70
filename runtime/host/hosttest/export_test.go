package hosttest

import (
	"slices"
	"testing"
	"time"
)

// Without runs all tests but those with some names.
func Without(t *testing.T, create New, listen string, names []string) {
	all := slices.Concat(quick, slow, sieges)
	list := slices.DeleteFunc(slices.Clone(all), func(c test) bool { return slices.Contains(names, c.name) })
	if len(list)+len(names) != len(all) {
		t.Fatalf("these are not the names of %d tests: %q", len(names), names)
	}
	run(t, create, listen, list)
}

// SetPatience sets how long to wait for what must happen eventually: with a fault it may never happen.
func SetPatience(d time.Duration) { patience = d }

// Misdeeds returns the names of what insiders do.
func Misdeeds() (names []string) {
	for _, m := range misdeeds {
		names = append(names, m.name)
	}
	return names
}

// Besieged is [Insiders] with one insider that has one of the [Misdeeds].
func Besieged(b *testing.B, create New, listen, misdeed string) {
	k := &kit{create: create, listen: listen}
	k.besieged(b, 3, misdeeds[slices.Index(Misdeeds(), misdeed)].do, 1)
}
