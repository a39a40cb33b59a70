// Package runner is the main of a binary of random programs: it runs each of them under schedules of faults and
// compares their outputs with those of a plain evaluator.
package runner

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Main runs the programs and exits, with 1 if one of them fails.
func Main(programs []Program) {
	want := flag.String("want", "", "`file` with the expected output of the programs, as JSON: a list of strings for each")
	schedules := flag.Int("schedules", 50, "how many schedules of faults each program is played under")
	program := flag.Int("program", -1, "the one `number` to play")
	schedule := flag.Int("schedule", -1, "the one `number` to play, with its steps")
	flag.Parse()
	tensor.Poison(8) // all values are shared memory, and references that are released too early are found
	if err := expect(programs, *want); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *schedule >= 0 {
		p := &programs[max(*program, 0)]
		_, _, err := p.play(*schedule, p.faults(*schedule), func(s string) { fmt.Println(s) })
		fmt.Println("result:", err)
		return
	}
	if !all(programs, *schedules, *program) {
		os.Exit(1)
	}
}

// expect reads the expected outputs of the programs.
func expect(programs []Program, file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var lists [][]string
	if err := json.Unmarshal(b, &lists); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(lists) != len(programs) {
		return fmt.Errorf("%s: %d programs, and the expected output of %d", file, len(programs), len(lists))
	}
	for i, l := range lists {
		programs[i].want = l
	}
	return nil
}

// all runs everything, a program on each processor at a time.
func all(programs []Program, schedules, only int) bool {
	var blocks, failures atomic.Int64
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				n, err := programs[i].under(schedules)
				blocks.Add(int64(n))
				if err != nil {
					failures.Add(1)
					fmt.Printf("program %d: %v\n", programs[i].Seed, err)
				}
			}
		})
	}
	for i := range programs {
		if only < 0 || i == only {
			next <- i
		}
	}
	close(next)
	wait.Wait()
	fmt.Printf("%d programs under %d schedules each: %d blocks, %d programs failed\n", len(programs), schedules, blocks.Load(), failures.Load())
	return failures.Load() == 0
}

// under runs a program under so many schedules, each twice. The first that fails is minimized.
func (p *Program) under(schedules int) (blocks int, err error) {
	for s := range schedules {
		faults := p.faults(s)
		hash, n, err := p.play(s, faults, nil)
		blocks += n
		if err != nil {
			few := mem.Shrink(faults, func(f []mem.Fault) bool {
				_, _, err := p.play(s, f, nil)
				return err != nil
			})
			_, _, shrunk := p.play(s, few, nil)
			return blocks, fmt.Errorf("schedule %d: %w\nit takes %v: %v", s, err, few, shrunk)
		}
		if again, _, _ := p.play(s, faults, nil); again != hash {
			return blocks, fmt.Errorf("schedule %d: the second time something else happens", s)
		}
	}
	return blocks, nil
}
