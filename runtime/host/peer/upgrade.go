package peer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
)

// order is the state of an upgrade in the state directory: the command upgrade writes it, the running peer
// records its progress, and the new process its completion.
type order struct {
	ID      string    `json:"id"`
	Binary  string    `json:"binary,omitempty"` // absolute; "": the binary at the path from which the peer was started
	Until   time.Time `json:"until"`            // when the command stops waiting
	Stage   stage     `json:"stage"`
	Refused string    `json:"refused,omitempty"` // why
	Now     version   `json:"now"`               // the version that runs after the upgrade
}

// stage is the progress of an upgrade.
type stage string

const (
	ordered  stage = "ordered"
	taken    stage = "taken"    // the peer puts the new binary in the place of its own
	accepted stage = "accepted" // the peer writes its last snapshot, and switches to the new binary
	refused  stage = "refused"
	upgraded stage = "upgraded"
)

const orderFile = "upgrade.json"

func writeOrder(d disk.FS, dir string, o *order) error {
	b, err := state.Seal(o)
	if err != nil {
		return err
	}
	return disk.Write(d, filepath.Join(dir, orderFile), 0o644, b) // only the owner can access the directory
}

// readOrder returns the present upgrade, or nil.
func readOrder(d disk.FS, dir string) (*order, error) {
	file := filepath.Join(dir, orderFile)
	b, err := d.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var o order
	if err == nil {
		err = state.Unseal(file, b, &o)
	}
	return &o, err
}

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
	o := &order{ID: rand.Text(), Stage: ordered, Until: time.Now().Add(*timeout)}
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
func place(dir string, o *order) error {
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
	if before, err := readOrder(disk.OS, dir); err == nil && before != nil && time.Now().Before(before.Until) && before.Stage != refused && before.Stage != upgraded {
		return fmt.Errorf("another one is under way on %s, until %v", dir, before.Until.Format(time.TimeOnly))
	}
	return writeOrder(disk.OS, dir, o)
}

// awaitStep is how often the command checks for an answer.
const awaitStep = 20 * time.Millisecond

// await waits until an upgrade has succeeded or failed. Its order is removed then.
func await(ctx context.Context, dir string, o *order) (*version, error) {
	for {
		got, err := readOrder(disk.OS, dir)
		switch {
		case err != nil:
			return nil, err
		case got == nil || got.ID != o.ID:
			return nil, fmt.Errorf("%s was removed", filepath.Join(dir, orderFile))
		case got.Stage == refused:
			return nil, errors.Join(errors.New(got.Refused), forget(dir))
		case got.Stage == upgraded:
			return &got.Now, forget(dir)
		case time.Now().After(o.Until) && got.Stage == ordered:
			return nil, errors.Join(errors.New("the peer does not take it: nothing has changed"), forget(dir))
		case time.Now().After(o.Until):
			return nil, errors.New("the peer has taken it, and is not back yet: its log has the reason")
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), forget(dir))
		case <-time.After(awaitStep):
		}
	}
}

func forget(dir string) error { return disk.OS.Remove(filepath.Join(dir, orderFile)) }

// version describes the program and class of a binary, and the snapshots from which it can continue.
type version struct {
	Program     string `json:"program"`
	Class       string `json:"class"`
	Fingerprint string `json:"fingerprint"`
	Layout      string `json:"layout"` // of snapshots
	Build       string `json:"build,omitempty"`
}

// versionOf returns the version of a program with a layout of snapshots.
func versionOf(p *Program, layout uint64) version {
	return version{p.Name, p.Class, fmt.Sprintf("%x", p.Fingerprint), fmt.Sprintf("%016x", layout), p.BuildID}
}

func (v *version) String() string {
	text := fmt.Sprintf("%s of program %s, fingerprint %s", v.Class, v.Program, v.Fingerprint)
	if v.Build != "" {
		text += ", build " + v.Build
	}
	return text
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
	return json.NewEncoder(stdout).Encode(versionOf(p, part.Schema))
}
