package deploy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/limits"
)

// maxPeers is the largest number of peers of a class in manifests.
const maxPeers = 1024

// Fleet describes the peers in manifests.
type Fleet struct {
	Counts      map[string]int    // peers of each class, or replicas of a model
	Invitations map[string]string // of peers, by CLASS-RANK
	Registry    string            // the registry for pulling images; "": they are on the machines
	egress      []egress          // to the issuers of invitations
}

// egress is a port of other peers that a peer must be able to reach.
type egress struct{ Protocol, Port string }

// ReadInvitations reads invitations, one in each line.
func ReadInvitations(r io.Reader) ([]string, error) {
	const most = 8 << 20 // a thousand of maximum length
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if len(b) > most {
		return nil, fmt.Errorf("found more than %d bytes, want an invitation in each line", most)
	}
	return strings.Fields(string(b)), nil
}

// NewFleet checks the numbers of peers, and assigns the invitations to peers.
func (p *Program) NewFleet(counts map[string]int, invitations []string, registry string) (*Fleet, error) {
	f := &Fleet{Counts: map[string]int{}, Invitations: map[string]string{}, Registry: registry}
	var classes []string
	for _, c := range p.Classes {
		name := cmp.Or(c.Name, p.Name)
		classes = append(classes, name)
		f.Counts[name] = 1
	}
	for class, n := range counts {
		if !slices.Contains(classes, class) {
			return nil, fmt.Errorf("the program %s has no class %q; it has %s", p.Name, class, strings.Join(classes, ", "))
		}
		if n > maxPeers {
			return nil, fmt.Errorf("found %d peers of class %s, want at most %d", n, class, maxPeers)
		}
		f.Counts[class] = n
	}
	limits := limits.Default()
	if p.IsModel() && len(invitations) > 0 {
		return nil, fmt.Errorf("%s is a model, which has no other peers: leave the invitations out", p.Name)
	}
	for i, text := range invitations {
		t, err := peer.ParseToken(text, &limits.Wire)
		if err != nil {
			return nil, fmt.Errorf("invitation %d: %w", i+1, err)
		}
		if err := f.invite(t, text, classes); err != nil {
			return nil, fmt.Errorf("invitation %d: %w", i+1, err)
		}
	}
	return f, nil
}

// invite assigns an invitation to its peer.
func (f *Fleet) invite(t *peer.Token, text string, classes []string) error {
	name := fmt.Sprintf("%s-%d", t.Class, t.Rank)
	switch {
	case !slices.Contains(classes, t.Class):
		return fmt.Errorf("it is for a %s, the program has %s", t.Class, strings.Join(classes, ", "))
	case t.Rank >= f.Counts[t.Class]:
		return fmt.Errorf("it is for %s, of which there are %d: say --peers %s=%d", name, f.Counts[t.Class], t.Class, t.Rank+1)
	case f.Invitations[name] != "":
		return fmt.Errorf("it is for %s, and so is another one: leave one of them out", name)
	}
	f.Invitations[name] = strings.TrimSpace(text)
	for _, a := range t.Issuer.Addresses {
		if parts := strings.Split(string(a), "/"); len(parts) > 4 {
			d := egress{strings.ToUpper(parts[3]), parts[4]}
			if (d.Protocol == "TCP" || d.Protocol == "UDP") && !slices.Contains(f.egress, d) {
				f.egress = append(f.egress, d)
			}
		}
	}
	return nil
}

// options is the content of a peer's -config file; see peer.Options.
type options struct {
	Listen []string `json:"listen"`
	HTTP   string   `json:"http"`
	State  string   `json:"state,omitempty"`
	Rank   *int     `json:"rank,omitempty"`
	Join   []string `json:"join,omitempty"`
	Log    string   `json:"log"`
}

// text returns the configuration file.
func (o *options) text() string {
	b, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(b) + "\n"
}

// containerConfig returns the configuration of one peer in a container.
func (f *Fleet) containerConfig(class string, rank int) *options {
	o := &options{Listen: []string{fmt.Sprintf("0.0.0.0:%d", peerPort)}, HTTP: fmt.Sprintf("0.0.0.0:%d", httpPort), State: imageState, Rank: &rank, Log: "json"}
	if token := f.Invitations[fmt.Sprintf("%s-%d", class, rank)]; token != "" {
		o.Join = []string{token}
	}
	return o
}

// machineConfig returns the configuration of the one peer of its class on a machine.
func machineConfig() *options {
	return &options{Listen: []string{fmt.Sprintf("0.0.0.0:%d", peerPort)}, HTTP: fmt.Sprintf("127.0.0.1:%d", httpPort), Log: "json"}
}
