package dataparallel

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
)

// TestReturnsAlone: a peer that has begun to train has a note of that beside its key. When it returns and the
// others do not, it gives up with the reason, and the note is gone.
func TestReturnsAlone(t *testing.T) {
	flags := flagsOf(t)
	var groups [2]*group
	both(func(rank int) {
		var err error
		if groups[rank], err = join(flags[rank], 0, func() {}); err != nil {
			t.Error(err)
			return
		}
		if groups[rank].note.exists() {
			t.Errorf("rank %d has a note before the training has begun", rank)
		}
		if _, err := groups[rank].Enter(&shared{"weights"}); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	for rank, g := range groups {
		if !g.note.exists() || g.note != noteOf(flags[rank]) {
			t.Errorf("rank %d trains and has no note %s", rank, noteOf(flags[rank]))
		}
		g.peer.Close()
	}
	back, err := join(flags[0], 300*time.Millisecond, func() {})
	if err == nil {
		_, err = back.Enter(&shared{"weights"})
	}
	if !errors.Is(err, errAlone) {
		t.Errorf("a peer returns and is alone: %v, want %v", err, errAlone)
	}
	if groups[0].note.exists() || !groups[1].note.exists() {
		t.Errorf("notes of a peer that has given up, and of the other: %v and %v, want that of the other alone", groups[0].note.exists(), groups[1].note.exists())
	}
}

// TestReturnsInTime: a peer that is connected to another one waits for it, however long that takes.
func TestReturnsInTime(t *testing.T) {
	groups := joinAll(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	for groups[0].peer.Connected() == 0 {
		time.Sleep(time.Millisecond)
	}
	groups[0].endAlone(ctx, 300*time.Millisecond)
	if err := context.Cause(groups[0].ctx); err != nil {
		t.Errorf("it gives up: %v", err)
	}
}

// TestNotes: there is a note if a person has started the peer, and it says nothing to a training that goes on from a
// checkpoint.
func TestNotes(t *testing.T) {
	for flags, want := range map[string]note{
		"-key one.pem -log none":          "one.pem.trains",
		"--key=one.pem":                   "one.pem.trains",
		"-rank 1 -log none":               "",
		"-key one.pem -events - -rank 1":  "",
		"-key one.pem -events file -rank": "one.pem.trains",
		"-log none -key":                  "",
	} {
		if got := noteOf(strings.Fields(flags)); got != want {
			t.Errorf("%s: the note is %q, want %q", flags, got, want)
		}
	}
	for args, want := range map[string]bool{"-data d -resume": true, "--resume=true -data d": true, "-data d": false, "-data resume": false} {
		if goesOn(model.TrainProgram{Name: "lenet"}, strings.Fields(args)) != want {
			t.Errorf("%s goes on from a checkpoint: want %v", args, want)
		}
	}
	none := note("") // of a peer without one
	none.write()
	none.remove()
	if none.exists() {
		t.Error("no note exists")
	}
}
