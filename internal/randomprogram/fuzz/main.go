// Command fuzz checks random programs; see package randomprogram. Its last output is a line of JSON. If a program fails,
// it shows it with as few steps as it can, and exits with status 1.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/internal/randomprogram"
)

func main() {
	first := flag.Uint64("seed", 0, "the seed of the first program; the others follow it")
	count := flag.Uint64("count", 1000, "how many programs")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many at a time")
	most := flag.Int("failures", 10, "how many failures to show")
	flag.Parse()
	types, err := randomprogram.NewTypechecker()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	begin := time.Now()
	tally, failures := search(*first, *count, *jobs, types)
	for _, f := range failures[:min(len(failures), *most)] {
		fmt.Fprintf(os.Stderr, "%v\n\n", randomprogram.Minimize(f, types))
	}
	seeds := []uint64{}
	for _, f := range failures {
		seeds = append(seeds, f.Program.Seed)
	}
	slices.Sort(seeds)
	err = json.NewEncoder(os.Stdout).Encode(struct {
		Seed uint64 `json:"seed"`
		randomprogram.Tally
		Failures int      `json:"failures"`
		Failed   []uint64 `json:"failed_seeds"`
		Seconds  float64  `json:"seconds"`
	}{*first, tally, len(failures), seeds, time.Since(begin).Seconds()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if len(failures) > 0 {
		os.Exit(1)
	}
}

// search checks the programs of count seeds.
func search(first, count uint64, jobs int, types *randomprogram.Typechecker) (total randomprogram.Tally, failures []*randomprogram.Failure) {
	var next atomic.Uint64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			var t randomprogram.Tally
			var failed []*randomprogram.Failure
			for i := next.Add(1) - 1; i < count; i = next.Add(1) - 1 {
				if f := t.Check(first+i, types); f != nil {
					failed = append(failed, f)
				}
			}
			mu.Lock()
			total.Add(t)
			failures = append(failures, failed...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return total, failures
}
