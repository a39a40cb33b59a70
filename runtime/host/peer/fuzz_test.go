package peer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// FuzzConfig gives a peer a configuration file.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"listen":["127.0.0.1:0"],"rank":3,"await":{"client":2},"patience":"1s","program":{"a":1}}`))
	f.Add([]byte(`{"peers":[{"id":"12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw","class":"a"}],"accept":"zz","log":"loud"}`))
	file := filepath.Join(f.TempDir(), "config.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		o := &Options{}
		if err := o.readConfig(file); err != nil {
			return
		}
		if d, err := o.times(); err == nil && (d.hello <= 0 || d.stall <= 0 || d.grace <= 0) {
			t.Errorf("%s: times %+v", b, d)
		}
		o.fingerprint()
		lim := runtime.EdgeLimits()
		if list, err := trust.ParseAddresses(o.Listen, &lim.Wire); err == nil {
			for _, a := range list {
				if _, err := wire.ParseAddress(a, &lim.Wire); err != nil {
					t.Errorf("%s: %v", b, err)
				}
			}
		}
		trust.NewMembers(testID(1), o.Peers, disk.OS, "", &lim.Wire)
		if text, err := json.Marshal(o); err != nil && len(o.Program) == 0 {
			t.Errorf("%s: %v", text, err)
		}
	})
}
