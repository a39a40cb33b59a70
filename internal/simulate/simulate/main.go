// Command simulate runs random programs under random schedules of faults in virtual time, see package explore.
// It prints a line of JSON at the end, also when its time is over or SIGTERM ends it, and exits with 1 if a
// schedule has failed.
//
//	go build ./internal/simulate/simulate
//	./simulate -seed 1 -schedules 1000000
//	./simulate -seed 1 -schedules 0 -for 10m
//	./simulate -seed 4711 -steps
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/bbgen/bbgen/internal/simulate/explore"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	var o explore.Options
	flag.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
	flag.IntVar(&o.Schedules, "schedules", 10000, "how many seeds are played; 0: until it is ended")
	long := flag.Duration("for", 0, "end after this `time`; 0: when all seeds are played")
	flag.IntVar(&o.Jobs, "jobs", runtime.GOMAXPROCS(0), "how many at a time")
	flag.IntVar(&o.Failures, "failures", 1, "so many failures are enough")
	flag.IntVar(&o.Twice, "twice", 16, "every so many-th seed is played twice and must give the same steps; 0: none")
	quick := flag.Bool("quick", false, "do not make cases smaller that fail")
	steps := flag.Bool("steps", false, "print the steps of the first seed, and play no other")
	file := flag.String("case", "", "play the case in `file`, as JSON, and print its steps")
	flag.Parse()
	tensor.Poison(explore.Large)
	if *steps || *file != "" {
		os.Exit(show(o.Seed, *file))
	}
	if terminal(os.Stderr) {
		o.Progress = progress
	}
	o.Failed = func(seed uint64, err error) { failed(seed, err, *quick) }
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if *long > 0 {
		ctx, stop = context.WithTimeout(ctx, *long)
		defer stop()
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	fmt.Fprintf(os.Stderr, "seeds from %d on, %d at a time\n", o.Seed, o.Jobs)
	s := explore.Run(ctx, o)
	if o.Progress != nil {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
	b, _ := json.Marshal(s)
	fmt.Printf("%s\n", b)
	if s.Failures > 0 {
		os.Exit(1)
	}
}

// garbage is the percentage of memory in use that garbage may reach before a collection: a schedule needs
// little memory and makes much garbage, and each collection stops all cores.
const garbage = 800

// show runs one case and prints its steps.
func show(seed uint64, file string) int {
	c := explore.Draw(seed)
	if file != "" {
		b, err := os.ReadFile(file)
		if err == nil {
			c = &explore.Case{}
			err = json.Unmarshal(b, c)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if r := explore.Play(c, func(s string) { fmt.Println(s) }); r.Err != nil {
		fmt.Println("result:", r.Err)
		return 1
	}
	return 0
}

// failed prints a failing seed, and a minimal case with the same failure.
func failed(seed uint64, err error, quick bool) {
	fmt.Printf("seed %d: %v\n", seed, err)
	if quick {
		return
	}
	c := explore.Minimize(explore.Draw(seed))
	fmt.Printf("seed %d, smaller: %v\n", seed, explore.Play(c, nil).Err)
	for _, f := range c.World.Faults {
		fmt.Printf("\t%v\n", f)
	}
	b, _ := json.Marshal(c)
	fmt.Printf("case %s\n", b)
}

func progress(s explore.Summary) {
	fmt.Fprintf(os.Stderr, "\r\033[K%d schedules, %d failures, %.0f/s", s.Schedules, s.Failures, s.PerSecond)
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
