package simulate

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/simulate/parts"
)

// drawn is how many programs are always drawn.
const drawn = 80

// features returns what a program has: its actions, rules of votes, ways of visits, and what its workers do.
func (s *spec) features() (list []string) {
	asks, _, _ := s.uses()
	add := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(s.lies && asks, "lie about a stranger %v", s.seed%2 == 1)
	add(s.gossips && asks, "gossip of %d", s.workers)
	for i := range s.body {
		a := &s.body[i]
		add(true, "kind %d", a.kind)
		add(a.kind == vote, "rule %T", s.rule(a))
		add(a.kind == ask, "viewed %v", a.row&named != 0)
		add(a.kind == choose, "chosen by %d", a.elector())
		add(a.kind == lazy, "available %v", a.row&named != 0)
		add(a.kind == kin && s.workers > 1, "kinds %v", true)
		add(a.kind == visit, "named %v", a.row&named != 0)
		add(a.kind == visit, "own %v", a.row&own != 0)
		add(a.kind == visit, "relay boots %v", s.boots)
		add(a.kind == search, "graph index %v", a.port%2 == 1)
		add(a.kind == near || a.kind == sample || a.kind == common, "kind %d of some %v", a.kind, s.workers > 1)
		for j := range a.sub {
			add(true, "kind %d", a.sub[j].kind)
		}
	}
	return list
}

// required are the features of the programs that are always drawn.
func required() (list []string) {
	for k := range kinds {
		list = append(list, fmt.Sprint("kind ", k))
	}
	for _, r := range parts.Rules() {
		list = append(list, fmt.Sprintf("rule %T", r))
	}
	for _, yes := range []string{"viewed", "named", "own", "relay boots", "graph index", "lie about a stranger", "available", "kinds", fmt.Sprintf("kind %d of some", near), fmt.Sprintf("kind %d of some", sample), fmt.Sprintf("kind %d of some", common)} {
		list = append(list, yes+" true")
	}
	for i := range parts.Electors() {
		list = append(list, fmt.Sprint("chosen by ", i))
	}
	return append(list, "graph index false", "lie about a stranger false", fmt.Sprint("gossip of ", parts.Many))
}

// few returns the seeds of a few programs that have all features together.
func few() (seeds []int) {
	missing := map[string]bool{}
	for _, f := range required() {
		missing[f] = true
	}
	for len(missing) > 0 {
		best, most := 0, 0
		for seed := range drawn {
			news := map[string]bool{}
			for _, f := range newSpec(uint64(seed)).features() {
				news[f] = missing[f] || news[f]
			}
			n := 0
			for _, is := range news {
				if is {
					n++
				}
			}
			if n > most {
				best, most = seed, n
			}
		}
		if most == 0 {
			break
		}
		seeds = append(seeds, best)
		for _, f := range newSpec(uint64(best)).features() {
			delete(missing, f)
		}
	}
	return seeds
}

// The programs that are always drawn contain every action and each rule.
func TestDrawn(t *testing.T) {
	have := map[string]bool{}
	for seed := range uint64(drawn) {
		for _, f := range newSpec(seed).features() {
			have[f] = true
		}
	}
	for _, f := range required() {
		if !have[f] {
			t.Errorf("no program has %s", f)
		}
	}
	t.Logf("short tests play the programs %v", few())
}
