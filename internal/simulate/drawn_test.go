package simulate

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/simulate/parts"
)

// The programs that are always drawn contain every action and each rule.
func TestDrawn(t *testing.T) {
	drawn := map[string]int{}
	for seed := range uint64(80) {
		s := newSpec(seed)
		for _, a := range s.body {
			drawn[fmt.Sprint("kind ", a.kind)]++
			switch asks, _, _ := s.uses(); a.kind {
			case vote:
				drawn[fmt.Sprintf("rule %T", s.rule(&a))]++
			case ask:
				drawn[fmt.Sprint("viewed ", a.row&named != 0)]++
			case visit:
				drawn[fmt.Sprint("named ", a.row&named != 0)]++
				drawn[fmt.Sprint("own ", a.row&own != 0)]++
				drawn[fmt.Sprint("relay boots ", s.boots)]++
			default:
				drawn[fmt.Sprint("gossips ", s.gossips && asks)]++
				drawn[fmt.Sprint("stores ", s.stores() && asks)]++
			}
		}
	}
	for k := range kinds {
		want(t, drawn, fmt.Sprint("kind ", k))
	}
	for _, r := range parts.Rules() {
		want(t, drawn, fmt.Sprintf("rule %T", r))
	}
	for _, yes := range []string{"viewed", "named", "own", "relay boots", "gossips", "stores"} {
		want(t, drawn, yes+" true")
	}
}

func want(t *testing.T, drawn map[string]int, what string) {
	t.Helper()
	if drawn[what] == 0 {
		t.Errorf("no program has %s", what)
	}
}
