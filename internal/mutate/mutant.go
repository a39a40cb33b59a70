package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Mutant is one way to break the engine or a host: a change of one place in a file.
type Mutant struct {
	Name string
	File string // from the root of the repository
	Old  string // what stands there, once
	New  string // what is put in its place
	Want Watch  // who is to notice it
}

// Watch is who notices a mutant: the simulator alone, or tests of packages.
type Watch string

// simulator is the watch over the engine. Others are packages whose short tests notice.
const simulator Watch = "simulator"

// played is the watch of nodes that play programs which were written by hand.
const played Watch = "runtime/internal/enginetest"

// text returns the mutant's file as the mutant has it.
func (m *Mutant) text(root string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(b, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("mutant %q: %s has %q %d times, want it once: mend the table", m.Name, m.File, m.Old, n)
	}
	return bytes.Replace(b, []byte(m.Old), []byte(m.New), 1), nil
}
