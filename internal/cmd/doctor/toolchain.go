package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/machine"
)

// leastGo is the oldest version of Go for bbgen and generated code.
const leastGo = "go1.26"

// leastDisk is the disk space needed for builds.
const leastDisk = 1 << 30

// toolchain looks at the Go command.
func (d *examination) toolchain(ctx context.Context) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOVERSION", "GOCACHE", "GOMODCACHE").Output()
	var env struct{ GOVERSION, GOCACHE, GOMODCACHE string }
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if err != nil {
		d.bad("the go command does not answer: %v: install Go 1.26 or later from https://go.dev/dl, and put it on your PATH", err)
		return
	}
	if why := checkGo(env.GOVERSION); why != "" {
		d.bad("%s", why)
	} else {
		d.good("%s", env.GOVERSION)
	}
	d.cache("GOCACHE", env.GOCACHE)
	d.cache("GOMODCACHE", env.GOMODCACHE)
}

// checkGo returns what is wrong with a version of Go, or "".
func checkGo(v string) string {
	v, _, _ = strings.Cut(v, " ") // followed by experiments
	if version.Compare(v, leastGo) >= 0 || strings.HasPrefix(v, "devel") {
		return ""
	}
	return fmt.Sprintf("this is %s, want %s or later: install it from https://go.dev/dl", v, leastGo)
}

// cache checks a cache folder of Go.
func (d *examination) cache(name, dir string) {
	if err := writable(dir); err != nil {
		d.bad("%s: %v: set %[1]s to a folder that you can write", name, err)
		return
	}
	free, known := machine.Free(dir)
	d.room(name, dir, free, known)
}

// room looks at how many bytes a folder's disk has left, if that is known.
func (d *examination) room(name, dir string, free uint64, known bool) {
	switch {
	case !known:
		d.good("%s is %s", name, dir)
	case free < leastDisk:
		d.bad("%s: %s has %d MiB free, want %d: make room, or set %[1]s to a folder of another disk", name, dir, free>>20, leastDisk>>20)
	default:
		d.good("%s is %s, with %d GiB free", name, dir, free>>30)
	}
}

// writable returns an error if no file can be made in a folder, which Go creates if it does not exist.
func writable(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil
	}
	f, err := os.CreateTemp(dir, ".bbgen-doctor-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}
