package dataparallel

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/host/train/web"
	"github.com/bbgen/bbgen/runtime/model"
)

// A peer cannot know by its messages whether the others have ended the training, or have not been started yet: nobody answers
// either way. So it notes beside its key that it takes part in a training, until that ends. A peer that finds the note was
// killed, or has failed: it waits for the others for a limited time only.

// aloneFor is how long a peer that returns waits while no other one is connected.
const aloneFor = 2 * time.Minute

// errAlone is the error of a peer that returns and finds no other one.
var errAlone = errors.New("no other peer is there, and this one was part of a training that it did not see end: the others have probably ended it, and one of them has the weights; to begin another training, or to go on from the checkpoint, run this again on all machines")

// note is the file that says that a peer takes part in a training; "": there is none.
type note string

// noteOf returns the note of a peer with such flags. There is none if who started the peers watches them.
func noteOf(flags []string) note {
	key := valueOf(flags, "key")
	if key == "" || writesEvents(flags) {
		return ""
	}
	return note(key + ".trains")
}

// valueOf returns the value of a flag, or "".
func valueOf(flags []string, name string) string {
	for i, f := range flags {
		f = strings.TrimPrefix(strings.TrimPrefix(f, "-"), "-")
		if value, ok := strings.CutPrefix(f, name+"="); ok {
			return value
		}
		if f == name && i+1 < len(flags) {
			return flags[i+1]
		}
	}
	return ""
}

// exists reports whether there is a note.
func (n note) exists() bool {
	_, err := os.Stat(string(n))
	return n != "" && err == nil
}

// write writes the note. Without it a peer that returns too late waits until it is stopped, so errors do not matter more than
// that.
func (n note) write() {
	if n != "" {
		os.WriteFile(string(n), []byte("This peer takes part in a training since "+time.Now().Format(time.RFC3339)+".\n"), 0o666)
	}
}

// remove removes the note.
func (n note) remove() {
	if n != "" {
		os.Remove(string(n))
	}
}

// goesOn reports whether a command line of the training goes on from a checkpoint: then the others are started again, too.
func goesOn(p model.TrainProgram, training []string) bool {
	f := train.Flags(p, &web.Page{})
	return f.Parse(training) == nil && f.Lookup("resume").Value.String() == "true"
}

// endAlone ends the waiting of a peer when no other one was connected for some time, and removes its note: whoever starts it
// once more knows better. It returns when ctx is done.
func (g *group) endAlone(ctx context.Context, alone time.Duration) {
	const every = 100 * time.Millisecond
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for left := alone; left > 0; {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if left -= every; g.peer.Connected() > 0 {
			left = alone
		}
	}
	g.note.remove()
	g.giveUp(errAlone)
}
