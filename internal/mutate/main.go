// Command mutate breaks the engine and the hosts in many known ways, one at a time, and reports what detects
// it: the simulator, or the short tests of a package. It exits with 1 if a mutant is not detected.
//
//	go run ./internal/mutate
//	go run ./internal/mutate -run 'restored'
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
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many at a time")
	root := flag.String("root", ".", "`folder` of the repository")
	flag.Parse()
	survivors, err := mutate(*root, *only, *schedules, *jobs)
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

// mutate tries all mutants, prints a line for each and a line of JSON for all, and returns how many were not
// detected.
func mutate(root, only string, schedules, jobs int) (survivors int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	l := &lab{root, dir, schedules, jobs}
	var all []Verdict
	simulated, broken := 0, 0
	for _, m := range mutants() {
		if !pattern.MatchString(m.Name) {
			continue
		}
		v, err := l.try(&m)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutant %q: %v\n", m.Name, err)
			broken++
			continue
		}
		all = append(all, v)
		if !v.noticed() {
			survivors++
		}
		if v.Simulator {
			simulated++
		}
		show(&m, &v)
	}
	if broken > 0 {
		err = fmt.Errorf("%d mutants are none: mend the table", broken)
	}
	b, _ := json.Marshal(map[string]any{"mutants": len(all), "simulator": simulated, "survivors": survivors, "all": all})
	fmt.Printf("%s\n", b)
	return survivors, err
}

func show(m *Mutant, v *Verdict) {
	who := string(m.Want)
	if !v.noticed() {
		who = "SURVIVES"
	}
	fmt.Printf("%-55s %-24s %4ds  %s\n", m.Name, who, v.Seconds, v.How)
}
