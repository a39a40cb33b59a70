package doctor

import (
	"path/filepath"

	"github.com/bbgen/bbgen/internal/project"
)

// module looks at the Go module around a folder.
func (d *examination) module(dir string) {
	home, err := project.Find(filepath.Join(dir, "bbgen-doctor")) // a folder that does not exist
	switch {
	case err != nil:
		d.bad("%v", err)
	case home.Own && home.Around != "":
		d.note("module %s does not require bbgen, so it cannot import what bbgen writes: run \"bbgen init\" there", home.Around)
	case home.Own:
		d.good("no module is around here: what bbgen writes is a module of its own")
	case !home.Has("libp2p"):
		d.good("the module around here requires bbgen; peers talk over TLS, as it does not require libp2p's transport")
	default:
		d.good("the module around here requires bbgen; peers talk over libp2p")
	}
}
