package train

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
	"github.com/bbgen/bbgen/runtime/host/launch"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// runTogether runs the trainer as several processes, which communicate over encrypted connections on this
// machine. If one is lost, the others continue, unless it is a stage of the model, or they have not begun: then some may
// wait for it.
func (j *job) runTogether(bin, dir string, args []string) error {
	log := &once{w: j.cmd.ErrOrStderr(), said: map[string]bool{}}
	o := launch.Options{Dir: filepath.Join(dir, "fleet"), Log: log, Seed: 1}
	p := j.group()
	for rank := range p.count {
		o.Peers = append(o.Peers, launch.Peer{Class: p.class, Rank: rank, Binary: bin, Args: append(p.shared(), args...)})
	}
	defer cli.LeaveInterrupts()()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	fleet, err := launch.Start(o)
	if err != nil {
		return err
	}
	defer fleet.Stop()
	if j.launched != nil {
		j.launched(fleet)
	}
	ended, failed, code, needsAll := 0, 0, 1, true
	begun := map[string]bool{} // by name: those that a lost one leaves behind say so as well
	var told os.Signal         // by which the processes were told to end
	end := time.AfterFunc(math.MaxInt64, fleet.Stop)
	defer end.Stop()
	for ended < p.count {
		select {
		case l := <-fleet.Lines():
			switch l.Kind {
			case peer.Said:
				fmt.Fprintln(j.cmd.OutOrStdout(), l.Name)
			case dataparallel.Begun:
				if begun[l.Peer] = true; len(begun) == p.count && !p.endsWithOne {
					needsAll = false
					end.Stop()
				}
			case "exited":
				ended++
				if l.Error == "" {
					continue
				}
				failed++
				code = max(code, fleet.ExitCode(slices.IndexFunc(o.Peers, func(p launch.Peer) bool { return p.Name() == l.Peer })))
				log.ended(l.Peer, l.Error)
				if needsAll {
					end.Reset(lastWords)
				}
			}
		case s := <-signals:
			if told == nil {
				told = s
				go fleet.Stop()
				continue
			}
			for i := range o.Peers {
				go fleet.Kill(i)
			}
		}
	}
	if told != nil {
		return interrupted(fleet, p.count, told)
	}
	if failed == ended || needsAll && failed > 0 {
		return cli.Failed{Code: code} // they have reported the error
	}
	return nil
}

// interrupted returns the failure of processes that a signal has told to end, unless all had completed the training before.
func interrupted(f *launch.Fleet, count int, told os.Signal) error {
	for i := range count {
		if f.ExitCode(i) != 0 {
			return cli.Interrupted(told)
		}
	}
	return nil
}

// lastWords is how long processes may take to end after one that they cannot do without.
var lastWords = 10 * time.Second // less in a test

// once writes lines from several processes without duplicates.
type once struct {
	w    io.Writer
	said map[string]bool
}

// Write implements [io.Writer].
func (o *once) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		o.note(strings.TrimSuffix(string(line), "\n"))
	}
	return len(b), nil
}

// ended reports the end of a process, unless a process has reported the reason.
func (o *once) ended(peer, why string) {
	why = strings.TrimSuffix(why, ": ")
	if _, said, ok := strings.Cut(why, ": "); !ok || !o.said[said] {
		o.note(peer + " has ended: " + why)
	}
}

func (o *once) note(line string) {
	if !o.said[line] {
		o.said[line] = true
		fmt.Fprintln(o.w, line)
	}
}
