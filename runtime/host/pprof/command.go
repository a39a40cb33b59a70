package pprof

import (
	"bytes"
	"fmt"
	"io"
	"runtime/pprof"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/run"
	"github.com/bbgen/bbgen/runtime/model"
)

// Command is the command pprof, for [run.Main].
var Command = run.Command{
	Name:  "pprof",
	Short: "write a CPU profile whose samples have nodes as labels",
	Run:   command,
}

// command runs the model as bench does, under the profiler.
func command(p model.Program, args []string, stdout io.Writer) error {
	f := run.Flags("pprof")
	load := run.SessionFlags(f)
	budget := f.Duration("time", 5*time.Second, "how long to run")
	out := f.String("o", "cpu.pprof", "the `file` to write")
	if err := run.Parse(f, args, "pprof -o cpu.pprof && go tool pprof -tags cpu.pprof", stdout); err != nil {
		return err
	}
	s, _, err := load(p)
	if err != nil {
		return err
	}
	if s, err = Labeled(s); err != nil {
		return err
	}
	var profile bytes.Buffer
	runs, err := record(&profile, s, *budget)
	if err != nil {
		return err
	}
	if err := disk.Replace(*out, profile.Bytes(), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: a profile of %d runs; see where the time goes with\n  go tool pprof -tags %s\n  go tool pprof -tagroot node %s\n", *out, runs, *out, *out)
	return nil
}

// record profiles runs for the budget.
func record(w io.Writer, s model.Session, budget time.Duration) (runs int, err error) {
	if err := s.Run(); err != nil {
		return 0, err
	}
	if err := pprof.StartCPUProfile(w); err != nil {
		return 0, err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); time.Since(start) < budget; runs++ {
		if err := s.Run(); err != nil {
			return runs, err
		}
	}
	return runs, nil
}
