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
	"slices"
	"strings"
	"sync"
	"text/template"
)

// manifest is a configuration file for a system that runs programs.
type manifest struct {
	path string // relative to the folder of a deployment
	text string
	mode fs.FileMode
}

// The modes of manifests. Those with invitations are only readable by their owner.
const (
	open   = 0o644
	secret = 0o600
)

// unit is the data of a class for manifests.
type unit struct {
	Name, Program, Class string // valid as names of hosts, images and units
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

// member is one peer, or one replica of a model.
type member struct {
	Name   string // NAME-RANK
	Rank   int
	Config string
	Page   int // the local port of its page
}

// units returns all classes, with their images if these were made.
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

// pulled returns the name of an image in manifests, with its digest if that is known, or else its version.
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

// Secrets returns the hash of all configurations. A change restarts peers.
func (u *unit) Secrets() string {
	h := sha256.New()
	for _, m := range u.Peers {
		h.Write([]byte(m.Config))
	}
	return hex.EncodeToString(h.Sum(nil))
}

//go:embed templates
var templateFiles embed.FS

// templates use [[ ]] as delimiters, as Nomad uses braces itself. They are parsed when they are needed, and not when any
// command starts.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Delims("[[", "]]").Funcs(template.FuncMap{
		"json": toJSON,
		"word": toWord,
		"indent": func(n int, s string) string {
			return strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+strings.Repeat(" ", n))
		},
	}).ParseFS(templateFiles, "templates/*"))
})

// toJSON returns a value as JSON, which is also valid in YAML and HCL.
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// notWords are those that YAML 1.1 reads as something else than text.
var notWords = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}

// toWord returns a slug as text in YAML: in quotes if it would be a number, a date or a truth value without them.
func toWord(slug string) string {
	if slices.Contains(notWords, slug) || slug != "" && slug[0] <= '9' {
		return `"` + slug + `"`
	}
	return slug
}

// fill executes a template.
func fill(name string, data any) (string, error) {
	var out bytes.Buffer
	err := templates().ExecuteTemplate(&out, name, data)
	return out.String(), err
}
