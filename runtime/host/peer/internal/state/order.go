package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// Order is the state of an upgrade in the state directory: the command upgrade writes it, the running peer
// records its progress, and the new process its completion.
type Order struct {
	ID      string    `json:"id"`
	Binary  string    `json:"binary,omitempty"` // absolute; "": the binary at the path from which the peer was started
	Until   time.Time `json:"until"`            // when the command stops waiting
	Stage   Stage     `json:"stage"`
	Refused string    `json:"refused,omitempty"` // why
	Now     Version   `json:"now"`               // the version that runs after the upgrade
}

// Stage is the progress of an upgrade.
type Stage string

// The stages of an upgrade.
const (
	Ordered  Stage = "ordered"
	Taken    Stage = "taken"    // the peer puts the new binary in the place of its own
	Accepted Stage = "accepted" // the peer writes its last snapshot, and switches to the new binary
	Refused  Stage = "refused"
	Upgraded Stage = "upgraded"
)

// IsUnderWay reports whether an upgrade may still happen.
func (o *Order) IsUnderWay(now time.Time) bool {
	return now.Before(o.Until) && o.Stage != Refused && o.Stage != Upgraded
}

// WriteOrder writes an order to a state directory, in the place of the one that is there.
func WriteOrder(d disk.FS, dir string, o *Order) error {
	return writeSealed(d, filepath.Join(dir, OrderFile), o)
}

// ReadOrder returns the order in a state directory, or nil if there is none.
func ReadOrder(d disk.FS, dir string) (*Order, error) {
	return readSealed[Order](d, filepath.Join(dir, OrderFile))
}

// RemoveOrder removes the order from a state directory.
func RemoveOrder(d disk.FS, dir string) error { return d.Remove(filepath.Join(dir, OrderFile)) }

// Version describes the program and class of a binary, and the snapshots from which it can continue.
type Version struct {
	Program     string `json:"program"`
	Class       string `json:"class"`
	Fingerprint string `json:"fingerprint"`
	Layout      string `json:"layout"` // of snapshots
	Build       string `json:"build,omitempty"`
}

// String describes a version to users.
func (v *Version) String() string {
	text := fmt.Sprintf("%s of program %s, fingerprint %s", v.Class, v.Program, v.Fingerprint)
	if v.Build != "" {
		text += ", build " + v.Build
	}
	return text
}

// Predecessor is the decision of a peer to continue as another program, from the snapshots of its own. It is in the state
// directory before the binary is replaced: if the process is killed then, whatever starts the new binary need not know about
// the upgrade.
type Predecessor struct {
	Fingerprint string `json:"fingerprint"` // of the program that continues
	Accept      string `json:"accept"`      // of the program from whose snapshots it does
}

// WritePredecessor writes a decision to a state directory.
func WritePredecessor(d disk.FS, dir string, p *Predecessor) error {
	return writeSealed(d, filepath.Join(dir, PredecessorFile), p)
}

// ReadPredecessor returns the decision in a state directory, or nil if there is none.
func ReadPredecessor(d disk.FS, dir string) (*Predecessor, error) {
	return readSealed[Predecessor](d, filepath.Join(dir, PredecessorFile))
}

// RemovePredecessor removes the decision from a state directory.
func RemovePredecessor(d disk.FS, dir string) error {
	return d.Remove(filepath.Join(dir, PredecessorFile))
}

// writeSealed writes a sealed file. Any user may read it: only the owner can access the directory.
func writeSealed(d disk.FS, file string, v any) error {
	b, err := Seal(v)
	if err != nil {
		return err
	}
	return disk.Write(d, file, 0o644, b)
}

// readSealed reads a sealed file. It returns nil if there is none.
func readSealed[T any](d disk.FS, file string) (*T, error) {
	b, err := d.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := Unseal(file, b, v); err != nil {
		return nil, err
	}
	return v, nil
}
