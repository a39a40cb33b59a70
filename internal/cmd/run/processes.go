package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/chaos"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

const (
	redraw = 250 * time.Millisecond
	grace  = 2 * time.Second // for peers to finish when they are told to end: others may be gone
)

// patience is for peers to end when they are told to, before they are killed.
var patience = 6 * time.Second // more in a test

// fleet is a run of processes.
type fleet struct {
	*watch
	*launch.Fleet
	began  time.Time
	killer *chaos.Killer // nil: no peer is killed
	lost   chan error    // errors of restarting killed peers
}

// following starts what was built, and handles its events until it ends. When ctx ends, so do the peers, in good order; a
// signal from again ends them at once.
type following func(ctx context.Context, again <-chan os.Signal, w *watch) error

// processes builds the peers, each of which is to run as a process.
func (j *job) processes(tmp string, p *cli.Progress) (following, error) {
	var list []string
	for _, c := range j.classes {
		if c.count() > 0 {
			list = append(list, c.name)
		}
	}
	p.Stage("go build %s", strings.Join(list, ", "))
	bin, err := gobuild.PeersIn(j.dir, tmp, ".", list...)
	if err != nil {
		return nil, err
	}
	broker, err := j.buildBroker(tmp, p)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, again <-chan os.Signal, w *watch) error {
		at, stop, err := startBroker(broker)
		if err != nil {
			return err
		}
		defer stop()
		return j.launch(ctx, again, w, launch.Options{Dir: filepath.Join(tmp, "fleet"), Peers: j.peers(bin), At: at, Seed: j.seed, State: j.chaos.Kill > 0, Log: w.log})
	}, nil
}

// launch runs peers until the run is over.
func (j *job) launch(ctx context.Context, again <-chan os.Signal, w *watch, o launch.Options) (err error) {
	for _, p := range o.Peers {
		if slices.Contains(p.Args, "-in") {
			w.page.change(func() { w.board.feed(p.Name()) })
		}
	}
	f := &fleet{watch: w, began: time.Now(), lost: make(chan error, maxProcesses)}
	w.page.begin(f.began)
	if j.chaos.Kill > 0 {
		f.killer = chaos.NewKiller(j.chaos.Kill, j.seed)
	}
	if f.Fleet, err = launch.Start(o); err != nil {
		return err
	}
	err = f.follow(ctx, j.limit)
	if ended := f.stop(again); ended != nil {
		return ended
	}
	return errors.Join(err, w.board.failure)
}

// peers returns the processes. Each starts its work when it is connected to all peers of other classes.
func (j *job) peers(bin map[string]string) []launch.Peer {
	var out []launch.Peer
	for _, c := range j.classes {
		args := j.args()
		for _, other := range j.classes {
			if other.name != c.name && other.count() > 0 {
				args = append(args, "-await", fmt.Sprintf("%s=%d", other.name, other.count()))
			}
		}
		for i, rank := range c.ranks {
			p := launch.Peer{Class: c.name, Rank: rank, Binary: bin[c.name], Args: slices.Concat(args, inputsOf(j.inputs, &c, i))}
			if j.out != "" {
				p.Args = append(p.Args, "-out", filepath.Join(j.out, p.Name()))
			}
			out = append(out, p)
		}
	}
	return out
}

// args returns the flags that all peers have in common.
func (j *job) args() []string {
	args := []string{"-grace", grace.String()}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	storm := j.chaos.Envelopes()
	add("-chaos", storm.String())
	add("-host", j.host)
	if j.http != "" {
		add("-http", "0") // the page links to those of peers
	}
	add("-otlp", j.otlp)
	add("-data", j.data)
	return args
}

// follow handles the peers' events until the run is over.
func (f *fleet) follow(ctx context.Context, limit time.Duration) error {
	end := make(<-chan time.Time)
	if limit > 0 {
		end = time.After(limit)
	}
	draw := time.NewTicker(redraw)
	defer draw.Stop()
	quiet := time.NewTicker(chaos.Calm)
	defer quiet.Stop()
	for !f.board.over() {
		select {
		case l := <-f.Lines():
			round := f.board.round
			if err := f.line(l); err != nil {
				return err
			}
			if f.board.round > round {
				quiet.Reset(chaos.Calm)
				if err := f.strike(); err != nil {
					return err
				}
			}
		case <-quiet.C:
			if err := f.strike(); err != nil {
				return err
			}
		case <-draw.C:
			f.page.change(func() { f.board.seconds = time.Since(f.began).Seconds() })
			if f.screen.show(f.board); f.screen.f == nil {
				f.apart.tell(f.board)
			}
		case err := <-f.lost:
			return err
		case <-end:
			f.board.unmet = f.board.apart()
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (f *fleet) line(l peer.Line) error {
	return f.event(event{max(0, l.Time.Sub(f.began).Seconds()), l})
}

// strike kills randomly chosen peers, and restarts them.
func (f *fleet) strike() error {
	if f.killer == nil || f.board.complete() {
		return nil
	}
	for _, i := range victims(f.killer, f.board.rows) {
		if err := f.line(peer.Line{Time: time.Now(), Peer: f.board.rows[i].name, Kind: "killed"}); err != nil {
			return err
		}
		go f.replace(i)
	}
	return nil
}

// replace kills a peer and restarts it.
func (f *fleet) replace(i int) {
	err := f.Kill(i)
	if err == nil {
		time.Sleep(chaos.Recovery)
		err = f.Restart(i)
	}
	if err != nil && !errors.Is(err, launch.ErrStopped) {
		f.lost <- err
	}
}

// stop makes all peers end. Those that do not end in time are killed, and all of them at once by a signal from again, which
// becomes the error.
func (f *fleet) stop(again <-chan os.Signal) (ended error) {
	f.page.change(func() { f.board.ending = true })
	f.Stop()
	late := time.After(patience)
	for {
		select {
		case l, ok := <-f.Lines():
			if !ok {
				return ended
			}
			f.line(l)
		case <-late:
			f.killAll()
		case s := <-again:
			ended = cli.Interrupted(s)
			f.killAll()
		}
	}
}

// killAll kills all peers. The caller reads their lines meanwhile.
func (f *fleet) killAll() {
	for i := range f.board.rows {
		go f.Kill(i)
	}
}
