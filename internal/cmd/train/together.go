package train

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/dataparallel"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

// runTogether runs the trainer as several processes, which communicate over encrypted connections on this
// machine. If one is lost, the others continue.
func (j *job) runTogether(bin, dir string, args []string) error {
	log := &once{w: j.cmd.ErrOrStderr(), said: map[string]bool{}}
	o := launch.Options{Dir: filepath.Join(dir, "fleet"), Log: log, Seed: 1}
	for rank := range j.peers.count {
		o.Peers = append(o.Peers, launch.Peer{
			Class: dataparallel.Class, Rank: rank, Binary: bin,
			Args: append(j.peers.shared(), args...),
		})
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
	ended, failed := 0, 0
	for ended < j.peers.count {
		select {
		case l := <-fleet.Lines():
			switch l.Kind {
			case dataparallel.Said:
				fmt.Fprintln(j.cmd.OutOrStdout(), l.Name)
			case "exited":
				ended++
				if l.Error != "" {
					failed++
					log.ended(l.Peer, l.Error)
				}
			}
		case <-signals:
			go fleet.Stop()
		}
	}
	if failed == ended {
		return cli.Failed{Code: fleet.ExitCode(0)} // they have reported the error
	}
	return nil
}

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
