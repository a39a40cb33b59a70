package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/suggest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/host/train/web"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Main trains one stage of a model, and exits. The command line has the flags of the peer, then --, then those of the
// training.
func Main(m Model) { os.Exit(Do(&m, os.Args[1:], os.Stdout, os.Stderr)) }

// Do is [Main] without exiting: it returns the exit code.
func Do(m *Model, args []string, stdout, stderr io.Writer) int {
	i := slices.Index(args, "--")
	if i < 0 {
		return alone(m, args, stdout, stderr)
	}
	c := &config{m: m, training: args[i+1:], stdout: stdout, stderr: stderr}
	code, err := 2, c.parse(args[:i])
	if err == nil {
		code, err = c.run()
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", m.Name, err)
	}
	return code
}

// alone handles a command line without a training: a command of the peer, or a request for help.
func alone(m *Model, args []string, stdout, stderr io.Writer) int {
	p := peer.Program{Name: m.Name, Class: Class, Classes: []string{Class}, Fingerprint: m.fingerprint(), Transport: tcp.New,
		Partition: func(runtime.Env) (*runtime.Partition, error) {
			return nil, errors.New("a stage trains: give -- and the flags of the training behind those of the peer")
		}}
	if len(args) > 0 && args[0] != "-h" && args[0] != "-help" && args[0] != "--help" {
		return peer.Do(context.Background(), p, args, stdout, stderr)
	}
	fmt.Fprintf(stdout, "Trains the model %q in %d stages: each process has a part of the layers.\n\n"+
		"usage: the flags of the peer -- the flags of the training\n\n", m.Name, len(m.Stages))
	f := new(config).flags()
	f.SetOutput(stdout)
	f.PrintDefaults()
	fmt.Fprintln(stdout, "\ncommands: keygen -key FILE makes a key, id -key FILE prints its id")
	fmt.Fprintln(stdout)
	whole, err := m.whole(1)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", m.Name, err)
		return 1
	}
	return train.Do(whole, []string{"-h"}, stdout, stderr, &web.Page{})
}

// config is a command line.
type config struct {
	m              *Model
	key, peers     string
	events         string
	micros         int
	place          *place
	training       []string
	stdout, stderr io.Writer
	threads        int
	untilEOF       bool
}

func (c *config) flags() *flag.FlagSet {
	f := flag.NewFlagSet(Class, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.key, "key", "", "the `file` of this peer's private key")
	f.StringVar(&c.peers, "peers", "", "the `file` that lists the peers: id, class stage, rank and addresses of each, the first stage with rank 0")
	f.IntVar(&c.micros, "micro-batches", 0, "in how many parts each batch flows through the stages (default two for each stage)")
	f.StringVar(&c.events, "events", "", "- writes the output as lines of JSON")
	for _, name := range []string{"listen", "rank", "seed", "log-level"} { // of launchers; the list of peers says the same
		f.String(name, "", "unused")
	}
	return f
}

// parse reads the command line.
func (c *config) parse(args []string) error {
	f := c.flags()
	if err := suggest.Flag(f.Parse(args), f); err != nil {
		return err
	}
	switch {
	case c.key == "" || c.peers == "":
		return errors.New("want -key FILE and -peers FILE: which stage is this, and where are the others?")
	case c.events != "" && c.events != "-":
		return fmt.Errorf("-events is %q, want -, or no such flag", c.events)
	case c.micros < 0 || c.micros > maxMicros:
		return fmt.Errorf("-micro-batches is %d, want a number from 1 to %d", c.micros, maxMicros)
	case c.micros == 0:
		c.micros = 2 * len(c.m.Stages)
	}
	key, err := peer.ReadKey(c.key)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(c.peers)
	if err != nil {
		return err
	}
	var list []peer.Member
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("%s: want a list of peers: %w", c.peers, err)
	}
	if c.place, err = newPlace(c.m, key, list); err != nil {
		return fmt.Errorf("%s: %w", c.peers, err)
	}
	return c.readTraining()
}

// readTraining reads the flags of the training that concern each stage. The last stage reads all of them.
func (c *config) readTraining() error {
	f := train.Flags(model.TrainProgram{Name: c.m.Name}, &web.Page{})
	if err := f.Parse(c.training); err != nil {
		return err
	}
	value := func(name string) any { return f.Lookup(name).Value.(flag.Getter).Get() }
	c.threads, c.untilEOF = value("threads").(int), value("until-eof").(bool)
	return nil
}

// run connects the stage, and trains until the end.
func (c *config) run() (code int, err error) {
	ctx, ended := train.Interruptible(context.Background())
	defer ended()
	if c.untilEOF && c.place.number < c.place.last() {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			ended()
		}()
	}
	l, t, err := c.place.connect(ctx)
	if err != nil {
		return 1, err
	}
	defer t.Close()
	if c.place.number == c.place.last() {
		return c.lead(l)
	}
	m := machine.Read()
	tensor.SetLimit(m.Memory)
	if c.threads == 0 {
		c.threads = m.Threads()
	}
	cpu.SetThreads(c.threads)
	machine.LeaveRoom(c.threads)
	return c.follow(ctx, l)
}

// follow runs a stage that is not the last. When it is asked to end, the last stage ends the training after the
// present step.
func (c *config) follow(ctx context.Context, l *links) (code int, err error) {
	f := &follower{m: c.m, number: c.place.number, prev: l.prev, next: l.next, control: l.control}
	defer f.close()
	defer context.AfterFunc(ctx, func() { l.control.send(stop) })()
	err = f.follow()
	if _, told := errors.AsType[*endedError](err); told && c.events == "-" {
		return 1, nil // the last stage writes to the same terminal
	}
	switch {
	case err != nil:
		return 1, err
	case ctx.Err() != nil:
		return train.InterruptCode(ctx), nil
	}
	return 0, nil
}

// lead runs the last stage, which trains with all others.
func (c *config) lead(l *links) (code int, err error) {
	p, err := c.m.whole(c.micros)
	if err != nil {
		return 1, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	x := lead(c.m, c.micros, l.prev, l.others, stop)
	x.given = make([]*tensor.Tensor, len(p.Inputs)+len(p.Targets))
	p.New = func(seed uint64) (model.TrainSession, error) { return x, x.begin(seed) }
	out := c.stdout
	if c.events == "-" {
		out = peer.SaidWriter(c.stdout, fmt.Sprintf("%s-%d", Class, c.place.number))
	}
	code = train.DoUntil(ctx, p, c.training, out, c.stderr, &web.Page{})
	x.end(train.HasEnded(code))
	return code, nil
}
