package peer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
)

// upgradeCommand makes the running peer of a state directory switch to another binary.
func upgradeCommand(ctx context.Context, _ *Program, args []string, stdout, _ io.Writer) error {
	f := flag.NewFlagSet("upgrade", flag.ContinueOnError)
	dir := f.String("state", "", "the state directory of the peer that runs, `DIR`")
	binary := f.String("binary", "", "the new binary, a `FILE` that takes the place of the one that runs, which stays beside it as FILE.previous\n(default: what stands there now)")
	timeout := f.Duration("timeout", 2*time.Minute, "wait so long for the peer, `TIME`")
	what := "Have the peer that runs on a state directory go on as another binary. It ends what it\nis doing, writes a snapshot, and becomes the new binary, with the same arguments. A\nbinary that cannot go on from the snapshot is refused, and the peer runs on as it is."
	if err := flagsOf(f, args, what, stdout); err != nil {
		return err
	}
	if *dir == "" {
		return usageError{errors.New("upgrade: want -state DIR")}
	}
	o := &state.Order{ID: rand.Text(), Stage: state.Ordered, Until: time.Now().Add(*timeout)}
	if *binary != "" {
		abs, err := filepath.Abs(*binary)
		if err != nil {
			return err
		}
		o.Binary = abs
	}
	if err := place(*dir, o); err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	now, err := await(ctx, *dir, o)
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	_, err = fmt.Fprintln(stdout, "the peer runs as", now)
	return err
}

// place gives an order to the running peer of a state directory.
func place(dir string, o *state.Order) error {
	if _, err := trust.ReadSelf(disk.OS, dir); err != nil {
		return fmt.Errorf("no peer has run on %s: %w", dir, err)
	}
	lock, err := lockfile.Take(dir)
	if err == nil {
		lock.Close()
		return fmt.Errorf("no peer runs on %s: start the new binary there, with -state", dir)
	}
	if !errors.Is(err, lockfile.ErrInUse) {
		return err
	}
	if before, err := state.ReadOrder(disk.OS, dir); err == nil && before != nil && before.IsUnderWay(time.Now()) {
		return fmt.Errorf("another one is under way on %s, until %v", dir, before.Until.Format(time.TimeOnly))
	}
	return state.WriteOrder(disk.OS, dir, o)
}

// awaitStep is how often the command checks for an answer.
const awaitStep = 20 * time.Millisecond

// await waits until an upgrade has succeeded or failed. Its order is removed then.
func await(ctx context.Context, dir string, o *state.Order) (*state.Version, error) {
	for {
		got, err := state.ReadOrder(disk.OS, dir)
		switch {
		case err != nil:
			return nil, err
		case got == nil || got.ID != o.ID:
			return nil, fmt.Errorf("%s was removed", filepath.Join(dir, state.OrderFile))
		case got.Stage == state.Refused:
			return nil, errors.Join(errors.New(got.Refused), state.RemoveOrder(disk.OS, dir))
		case got.Stage == state.Upgraded:
			return &got.Now, state.RemoveOrder(disk.OS, dir)
		case time.Now().After(o.Until) && got.Stage == state.Ordered:
			return nil, errors.Join(errors.New("the peer does not take it: nothing has changed"), state.RemoveOrder(disk.OS, dir))
		case time.Now().After(o.Until):
			return nil, errors.New("the peer has taken it, and is not back yet: its log has the reason")
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), state.RemoveOrder(disk.OS, dir))
		case <-time.After(awaitStep):
		}
	}
}

const versionHelp = `Prints which program this binary runs, as JSON: its name, the class, the fingerprint and the
layout of snapshots. The command upgrade asks a new binary for it.

usage: version [flags]

The flags are those that the peer is started with. "-h" without version lists them all.
`

// printVersion prints the version of this binary.
func printVersion(ctx context.Context, p *Program, args []string, stdout, stderr io.Writer) error {
	if asksHelp(args) {
		fmt.Fprint(stdout, versionHelp)
		return flag.ErrHelp
	}
	o, err := parse(p, args, stdout)
	if err != nil {
		return usageError{err}
	}
	h := newObserver(ctx, p, o)
	h.fit()
	if err := h.identity(nil); err != nil {
		return err
	}
	part, err := h.partition(h.env())
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(p.version(part.Schema))
}
