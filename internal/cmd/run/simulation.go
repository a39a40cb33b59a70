package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// simLine is a line written by the simulator: an event of a peer, or the last line, which has a hash.
type simLine struct {
	Time   float64 `json:"time"`
	Class  string  `json:"class"`
	Rank   int     `json:"rank"`
	From   string  `json:"from"`
	Module string  `json:"module"`
	Name   string  `json:"name"`
	Round  uint64  `json:"round"`
	Value  any     `json:"value"`
	Event  string  `json:"event"`
	Error  string  `json:"error"`
	Type   string  `json:"type"`
	Hash   string  `json:"hash"`  // of a value, or in the last line of all events
	Steps  *int    `json:"steps"` // of the last line only
	Done   bool    `json:"done"`
	Open   int     `json:"unanswered"`
}

// event converts the line to that of a process.
func (l *simLine) event() event {
	e := event{l.Time, peer.Line{Peer: fmt.Sprintf("%s-%d", l.Class, l.Rank), Kind: l.Event, From: l.From, Name: l.name(), Round: l.Round,
		Value: l.Value, Type: l.Type, Hash: l.Hash, Error: l.Error}}
	switch l.Event {
	case "":
		e.Kind = "emitted"
	case "started":
		e.Line.Status = &peer.Status{State: "running"}
	}
	return e
}

// name returns the subject of the line, in the form that processes use.
func (l *simLine) name() string {
	if l.Module == "" {
		return l.Name
	}
	return l.Module + "." + l.Name
}

// simulation builds the program that runs all peers.
func (j *job) simulation(tmp string, p *cli.Progress) (following, error) {
	if !hasMain(filepath.Join(j.dir, simName)) {
		return nil, fmt.Errorf(`%s: found no %s/main.go, which --sim runs; "bbgen ./pkg -o %s" writes it`, j.dir, simName, j.dir)
	}
	p.Stage("go build %s", simName)
	bin, err := gobuild.PeersIn(j.dir, tmp, ".", simName)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ <-chan os.Signal, w *watch) error {
		return j.simulate(ctx, bin[simName], w)
	}, nil
}

// simulate runs the program that runs all peers. It ends at once with ctx.
func (j *job) simulate(ctx context.Context, bin string, w *watch) error {
	cmd := exec.CommandContext(ctx, bin, j.simArgs()...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.page.change(func() {
		for i := range w.board.rows {
			w.board.rows[i].state = up
		}
	})
	err = w.lines(bufio.NewScanner(out))
	if ended := cmd.Wait(); ended != nil && ctx.Err() == nil && err == nil {
		return fmt.Errorf("the simulation failed (%w): %s", ended, strings.TrimSpace(stderr.String()))
	}
	return err
}

func (j *job) simArgs() []string {
	args := []string{"-n", countsOf(j.classes), "-seed", strconv.FormatUint(j.seed, 10)}
	add := func(name, value string, given bool) {
		if given {
			args = append(args, "-"+name, value)
		}
	}
	add("data", j.data, j.data != "")
	add("for", j.limit.String(), j.limit > 0)
	for _, in := range j.inputs {
		add("in", in.class+"."+in.name+"="+in.file, true)
	}
	add("out", j.out, j.out != "")
	add("chaos", j.chaos.String(), j.chaos.String() != "")
	return args
}

// lines handles the simulator's output. The table is redrawn only occasionally, as lines arrive fast.
func (w *watch) lines(s *bufio.Scanner) error {
	s.Buffer(nil, 1<<20)
	var drawn time.Time
	for s.Scan() {
		var l simLine
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return fmt.Errorf("the simulation wrote %q: %w", s.Text(), err)
		}
		if l.Steps != nil {
			w.page.change(func() { w.end(&l) })
			continue
		}
		if err := w.event(l.event()); err != nil {
			return err
		}
		if time.Since(drawn) >= redraw {
			drawn = time.Now()
			w.screen.show(w.board)
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return errors.New("the simulation wrote a line of more than 1 MiB")
	}
	return nil
}

// end records the end of a simulation, which is also the end of its peers.
func (w *watch) end(l *simLine) {
	w.board.seconds, w.board.hash, w.board.fed, w.board.open = l.Time, l.Hash, l.Done, l.Open
	for i := range w.board.rows {
		w.board.rows[i].state = done
	}
}
