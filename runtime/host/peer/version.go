package peer

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

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
	h := &host{program: *p, options: o, links: map[wire.PeerID]*link{}, disk: disk.OS, ctx: ctx, looks: true}
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
