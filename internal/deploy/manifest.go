package deploy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// manifest is a file that something reads which runs programs.
type manifest struct {
	path string // relative to the folder of a deployment
	text string
	mode fs.FileMode
}

// Manifests are files that the owner alone can read where they hold invitations.
const (
	open   = 0o644
	secret = 0o600
)

// unit is what manifests say of a class.
type unit struct {
	Name, Program, Class string // fit for hosts, images and units
	Title                string // for people
	Image                string
	Model                bool
	Args                 []string
	Peers                []member
	PeerPort, HTTPPort   int
	User                 int
	Volume               string
	Sidecar              bool
	Egress               []egress
}

// member is one peer, or one copy of a model.
type member struct {
	Name   string // NAME-RANK
	Rank   int
	Config string
	Page   int // the port of this machine with its page
}

// units returns all classes, with images as far as they were made.
func (p *Program) units(o *Options, images []Image) ([]unit, error) {
	f := o.Fleet
	var all []unit
	page := httpPort
	for i := range p.Classes {
		c := &p.Classes[i]
		u := unit{Name: p.Unit(c), Program: slug(p.Name), Class: slug(c.Name), Title: "The model " + p.Name, Model: p.IsModel(), Args: p.containerArgs(c),
			PeerPort: peerPort, HTTPPort: httpPort, User: imageUser, Volume: imageVolume, Sidecar: c.Sidecar != "", Egress: f.egress}
		if !u.Model {
			u.Title = fmt.Sprintf("A %s of the program %s", c.Name, p.Name)
		} else if !c.Serves {
			return nil, fmt.Errorf("%s: the model's program has no verb serve, which manifests run: generate it with --serve", c.Dir)
		}
		var err error
		if u.Image, err = p.pulled(c, o, images); err != nil {
			return nil, err
		}
		for rank := range f.Counts[cmp.Or(c.Name, p.Name)] {
			m := member{Name: fmt.Sprintf("%s-%d", u.Name, rank), Rank: rank, Page: page}
			if !u.Model {
				m.Config = f.containerConfig(c.Name, rank).text()
			}
			u.Peers = append(u.Peers, m)
			page++
		}
		all = append(all, u)
	}
	return all, nil
}

// pulled returns how manifests call an image: by its digest where it is known, and by its
// version otherwise.
func (p *Program) pulled(c *Class, o *Options, images []Image) (string, error) {
	if o.Fleet.Registry == "" {
		return p.Unit(c) + ":" + tagOf(o.Version), nil
	}
	ref, err := p.reference(o.Fleet.Registry, c, o.Version)
	if err != nil {
		return "", err
	}
	for _, i := range images {
		if i.Name == p.Unit(c) {
			return ref.Context().Name() + "@" + i.Digest, nil
		}
	}
	return ref.Name(), nil
}

// Secrets returns the hash of all configurations: with another one peers are started anew.
func (u *unit) Secrets() string {
	h := sha256.New()
	for _, m := range u.Peers {
		h.Write([]byte(m.Config))
	}
	return hex.EncodeToString(h.Sum(nil))
}

//go:embed templates
var templateFiles embed.FS

// templates have [[ ]] where others have braces, which Nomad wants for itself.
var templates = template.Must(template.New("").Delims("[[", "]]").Funcs(template.FuncMap{
	"json": toJSON,
	"indent": func(n int, s string) string {
		return strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+strings.Repeat(" ", n))
	},
}).ParseFS(templateFiles, "templates/*"))

// toJSON returns a value as JSON, which YAML and HCL read, too.
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// fill fills in a template.
func fill(name string, data any) (string, error) {
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, name, data)
	return out.String(), err
}
