// Command mutate breaks the engine and the hosts in many known ways, one at a time, and reports what detects
// it: the simulator, or the short tests of a package. It exits with 1 if a mutant is not detected.
//
//	go run ./internal/mutate
//	go run ./internal/mutate -run 'restored'
//	go run ./internal/mutate -control -at-once 16 -jobs 2
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
)

func main() {
	only := flag.String("run", "", "only mutants whose names match `pattern`")
	schedules := flag.Int("schedules", 20000, "how many schedules the simulator plays of each")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many schedules the simulator plays at a time")
	atOnce := flag.Int("at-once", 1, "how many mutants are tried at a time")
	control := flag.Bool("control", false, "first run what must detect mutants without one: it must pass")
	root := flag.String("root", ".", "`folder` of the repository")
	flag.Parse()
	l := &lab{schedules: *schedules, jobs: *jobs, atOnce: max(*atOnce, 1)}
	survivors, err := l.mutate(*root, *only, *control)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if survivors > 0 {
		os.Exit(1)
	}
}

// mutants returns all mutants.
func mutants() []Mutant { return slices.Concat(engine, collectives, hosts, strategies) }

// mutate tries the mutants whose names match a pattern, prints a line for each and a line of JSON for all, and
// returns how many were not detected.
func (l *lab) mutate(root, only string, control bool) (survivors int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	if l.root, err = filepath.Abs(root); err != nil {
		return 0, err
	}
	if l.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(l.dir)
	list := slices.DeleteFunc(mutants(), func(m Mutant) bool { return !pattern.MatchString(m.Name) })
	slices.SortStableFunc(list, testsFirst)
	if control {
		if err := l.control(list); err != nil {
			return 0, err
		}
	}
	s := summary{}
	for _, err := range l.tryAll(list, func(m *Mutant, v *Verdict) { s.add(v); show(m, v) }) {
		fmt.Fprintln(os.Stderr, err)
		s.Broken++
	}
	b, _ := json.Marshal(s)
	fmt.Printf("%s\n", b)
	if s.Broken > 0 {
		err = fmt.Errorf("%d mutants are none: mend the table", s.Broken)
	}
	return s.Survivors, err
}

// testsFirst orders mutants: those for tests of packages first, as these tests may wait for long, whatever the
// number of cores.
func testsFirst(a, b Mutant) int {
	switch x, y := a.Want == simulator, b.Want == simulator; {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// summary is the last line of the output.
type summary struct {
	Mutants   int       `json:"mutants"`
	Simulator int       `json:"simulator"` // detected by the simulator
	Tests     int       `json:"tests"`     // detected by the tests of a package
	Survivors int       `json:"survivors"`
	Broken    int       `json:"broken"` // mutants that do not compile, or whose text is not in the file
	All       []Verdict `json:"all"`
}

func (s *summary) add(v *Verdict) {
	s.Mutants++
	switch {
	case v.Simulator:
		s.Simulator++
	case v.Tests:
		s.Tests++
	default:
		s.Survivors++
	}
	s.All = append(s.All, *v)
}

func show(m *Mutant, v *Verdict) {
	who := string(m.Want)
	if !v.noticed() {
		who = "SURVIVES"
	}
	fmt.Printf("%-55s %-24s %4ds  %s\n", m.Name, who, v.Seconds, v.How)
}
