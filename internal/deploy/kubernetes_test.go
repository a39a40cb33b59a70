package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The following types have the fields of Kubernetes that manifests use, at the same places: strict decoding
// detects misspelled and misplaced fields.

type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   meta   `yaml:"metadata"`
}

type meta struct {
	Name        string            `yaml:"name"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

type service struct {
	object `yaml:",inline"`
	Spec   struct {
		ClusterIP                string            `yaml:"clusterIP"`
		PublishNotReadyAddresses bool              `yaml:"publishNotReadyAddresses"`
		Selector                 map[string]string `yaml:"selector"`
		Ports                    []struct {
			Name       string `yaml:"name"`
			Port       int    `yaml:"port"`
			TargetPort string `yaml:"targetPort"`
		} `yaml:"ports"`
	} `yaml:"spec"`
}

type selector struct {
	MatchLabels map[string]string `yaml:"matchLabels"`
}

type workload struct { // a StatefulSet or a Deployment
	object `yaml:",inline"`
	Spec   struct {
		ServiceName          string      `yaml:"serviceName"`
		Replicas             int         `yaml:"replicas"`
		PodManagementPolicy  string      `yaml:"podManagementPolicy"`
		Selector             selector    `yaml:"selector"`
		Template             podTemplate `yaml:"template"`
		VolumeClaimTemplates []struct {
			Metadata meta `yaml:"metadata"`
			Spec     struct {
				AccessModes []string `yaml:"accessModes"`
				Resources   struct {
					Requests map[string]string `yaml:"requests"`
				} `yaml:"resources"`
			} `yaml:"spec"`
		} `yaml:"volumeClaimTemplates"`
	} `yaml:"spec"`
}

type podTemplate struct {
	Metadata meta `yaml:"metadata"`
	Spec     struct {
		AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
		EnableServiceLinks            *bool `yaml:"enableServiceLinks"`
		TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
		SecurityContext               struct {
			RunAsNonRoot   bool `yaml:"runAsNonRoot"`
			RunAsUser      int  `yaml:"runAsUser"`
			RunAsGroup     int  `yaml:"runAsGroup"`
			FSGroup        int  `yaml:"fsGroup"`
			SeccompProfile struct {
				Type string `yaml:"type"`
			} `yaml:"seccompProfile"`
		} `yaml:"securityContext"`
		Containers []container `yaml:"containers"`
		Volumes    []struct {
			Name   string `yaml:"name"`
			Secret struct {
				SecretName string `yaml:"secretName"`
			} `yaml:"secret"`
		} `yaml:"volumes"`
	} `yaml:"spec"`
}

type probe struct {
	HTTPGet struct {
		Path string `yaml:"path"`
		Port string `yaml:"port"`
	} `yaml:"httpGet"`
	PeriodSeconds    int `yaml:"periodSeconds"`
	TimeoutSeconds   int `yaml:"timeoutSeconds"`
	FailureThreshold int `yaml:"failureThreshold"`
}

type container struct {
	Name            string   `yaml:"name"`
	Image           string   `yaml:"image"`
	ImagePullPolicy string   `yaml:"imagePullPolicy"`
	Args            []string `yaml:"args"`
	Env             []struct {
		Name      string `yaml:"name"`
		ValueFrom struct {
			FieldRef struct {
				FieldPath string `yaml:"fieldPath"`
			} `yaml:"fieldRef"`
		} `yaml:"valueFrom"`
	} `yaml:"env"`
	Ports []struct {
		Name          string `yaml:"name"`
		ContainerPort int    `yaml:"containerPort"`
	} `yaml:"ports"`
	StartupProbe   *probe `yaml:"startupProbe"`
	ReadinessProbe *probe `yaml:"readinessProbe"`
	LivenessProbe  *probe `yaml:"livenessProbe"`
	Resources      struct {
		Requests map[string]string `yaml:"requests"`
	} `yaml:"resources"`
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct {
			Drop []string `yaml:"drop"`
		} `yaml:"capabilities"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

type networkPolicy struct {
	object `yaml:",inline"`
	Spec   struct {
		PodSelector selector `yaml:"podSelector"`
		PolicyTypes []string `yaml:"policyTypes"`
		Ingress     []struct {
			From  []place       `yaml:"from"`
			Ports []networkPort `yaml:"ports"`
		} `yaml:"ingress"`
		Egress []struct {
			To    []place       `yaml:"to"`
			Ports []networkPort `yaml:"ports"`
		} `yaml:"egress"`
	} `yaml:"spec"`
}

type place struct {
	PodSelector       *selector `yaml:"podSelector"`
	NamespaceSelector *selector `yaml:"namespaceSelector"`
}

type networkPort struct {
	Protocol string `yaml:"protocol"`
	Port     int    `yaml:"port"`
}

type secretObject struct {
	object     `yaml:",inline"`
	Type       string            `yaml:"type"`
	StringData map[string]string `yaml:"stringData"`
}

// cluster is the objects of all manifests.
type cluster struct {
	services  map[string]*service
	workloads map[string]*workload
	policies  []*networkPolicy
	secrets   map[string]*secretObject
}

// kindsOf are the allowed kinds of manifests, with their versions.
var kindsOf = map[string]string{"Service": "v1", "Secret": "v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1", "NetworkPolicy": "networking.k8s.io/v1"}

// read adds the objects of a file.
func (c *cluster) read(text string) error {
	for loose, strict := yaml.NewDecoder(strings.NewReader(text)), yaml.NewDecoder(strings.NewReader(text)); ; {
		strict.KnownFields(true)
		var o object
		err := loose.Decode(&o)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if kindsOf[o.Kind] != o.APIVersion || o.APIVersion == "" {
			return fmt.Errorf("found the kind %q of %q", o.Kind, o.APIVersion)
		}
		switch o.Kind {
		case "Service":
			c.services[o.Metadata.Name] = new(service)
			err = strict.Decode(c.services[o.Metadata.Name])
		case "Secret":
			c.secrets[o.Metadata.Name] = new(secretObject)
			err = strict.Decode(c.secrets[o.Metadata.Name])
		case "NetworkPolicy":
			c.policies = append(c.policies, new(networkPolicy))
			err = strict.Decode(c.policies[len(c.policies)-1])
		default:
			c.workloads[o.Metadata.Name] = new(workload)
			err = strict.Decode(c.workloads[o.Metadata.Name])
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
	}
}

// selects reports whether a selector matches pods with these labels.
func selects(chosen, labels map[string]string) bool {
	for k, v := range chosen {
		if labels[k] != v {
			return false
		}
	}
	return len(chosen) > 0
}

func (w *workload) container() *container { return &w.Spec.Template.Spec.Containers[0] }

// port returns the number of a container's port, or 0 if there is none with the name.
func (c *container) port(name string) int {
	for _, p := range c.Ports {
		if p.Name == name {
			return p.ContainerPort
		}
	}
	return 0
}

// secret returns the content of a workload's secret.
func (c *cluster) secret(w *workload) map[string]string {
	if s := c.secrets[w.Spec.Template.Spec.Volumes[0].Secret.SecretName]; s != nil {
		return s.StringData
	}
	return nil
}

// rules are checks of all objects together.
var rules = []struct {
	name  string
	check func(c *cluster, fail func(string, ...any))
}{
	{"names are labels of DNS", func(c *cluster, fail func(string, ...any)) {
		label := regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
		for name := range maps.Keys(c.services) {
			if !label.MatchString(name) {
				fail("the service %q", name)
			}
		}
		for name, w := range c.workloads {
			if !label.MatchString(name) || !label.MatchString(w.container().Name) {
				fail("the pods of %q", name)
			}
		}
	}},
	{"each workload has its own pods, and its service finds them", func(c *cluster, fail func(string, ...any)) {
		for name, w := range c.workloads {
			labels := w.Spec.Template.Metadata.Labels
			if !selects(w.Spec.Selector.MatchLabels, labels) {
				fail("%s does not select its own pods", name)
			}
			for other, o := range c.workloads {
				if other != name && selects(o.Spec.Selector.MatchLabels, labels) {
					fail("%s selects the pods of %s", other, name)
				}
			}
			s := c.services[name]
			if s == nil || !selects(s.Spec.Selector, labels) {
				fail("no service of its name selects the pods of %s", name)
				continue
			}
			for _, p := range s.Spec.Ports {
				if p.Port < 1 || w.container().port(p.TargetPort) == 0 {
					fail("the service %s leads to the port %q, which the container does not have", name, p.TargetPort)
				}
			}
		}
	}},
	{"a StatefulSet has names for its pods, and state", func(c *cluster, fail func(string, ...any)) {
		for name, w := range c.workloads {
			if w.Kind != "StatefulSet" {
				continue
			}
			s := c.services[w.Spec.ServiceName]
			if s == nil || s.Spec.ClusterIP != "None" || !s.Spec.PublishNotReadyAddresses {
				fail("%s: the service %q is no headless one that knows pods which start", name, w.Spec.ServiceName)
			}
			mounted := false
			for _, v := range w.Spec.VolumeClaimTemplates {
				for _, m := range w.container().VolumeMounts {
					mounted = mounted || m.Name == v.Metadata.Name && m.MountPath == imageVolume && !m.ReadOnly
				}
				if v.Spec.Resources.Requests["storage"] == "" || len(v.Spec.AccessModes) == 0 {
					fail("%s: the claim %s wants nothing", name, v.Metadata.Name)
				}
			}
			if !mounted {
				fail("%s: no claim is mounted at %s", name, imageVolume)
			}
		}
	}},
	{"what is mounted is there", func(c *cluster, fail func(string, ...any)) {
		for name, w := range c.workloads {
			var there []string
			for _, v := range w.Spec.Template.Spec.Volumes {
				there = append(there, v.Name)
				if c.secrets[v.Secret.SecretName] == nil {
					fail("%s: there is no secret %q", name, v.Secret.SecretName)
				}
			}
			for _, v := range w.Spec.VolumeClaimTemplates {
				there = append(there, v.Metadata.Name)
			}
			for _, m := range w.container().VolumeMounts {
				if !slices.Contains(there, m.Name) {
					fail("%s: there is no volume %q", name, m.Name)
				}
			}
			if len(w.container().VolumeMounts) != len(there) {
				fail("%s: volumes %v are not all mounted", name, there)
			}
		}
	}},
	{"each pod has options, whose ports are the container's", func(c *cluster, fail func(string, ...any)) {
		for name, w := range c.workloads {
			if w.Kind != "StatefulSet" {
				continue
			}
			k := w.container()
			for i := range w.Spec.Replicas {
				pod := fmt.Sprintf("%s-%d", name, i)
				file := strings.ReplaceAll(k.Args[1], "$("+k.Env[0].Name+")", pod)
				mount := slices.IndexFunc(k.VolumeMounts, func(m struct {
					Name      string `yaml:"name"`
					MountPath string `yaml:"mountPath"`
					ReadOnly  bool   `yaml:"readOnly"`
				}) bool {
					return strings.HasPrefix(file, m.MountPath+"/")
				})
				if k.Env[0].ValueFrom.FieldRef.FieldPath != "metadata.name" || mount < 0 {
					fail("%s reads %s, where nothing is mounted", pod, file)
					continue
				}
				text := c.secret(w)[strings.TrimPrefix(file, k.VolumeMounts[mount].MountPath+"/")]
				var o options
				if err := json.Unmarshal([]byte(text), &o); err != nil {
					fail("%s: %v", pod, err)
					continue
				}
				if portOf(o.Listen[0]) != k.port("peer") || portOf(o.HTTP) != k.port("http") || *o.Rank != i || !strings.HasPrefix(o.State, imageVolume+"/") {
					fail("%s: the options %+v are not for its ports and its place", pod, o)
				}
			}
		}
	}},
	{"probes ask for a page that answers", func(c *cluster, fail func(string, ...any)) {
		for name, w := range c.workloads {
			k := w.container()
			for _, p := range []*probe{k.ReadinessProbe, k.LivenessProbe, k.StartupProbe} {
				switch {
				case p == nil && w.Kind == "Deployment":
				case p == nil || p.HTTPGet.Path != "/healthz" || k.port(p.HTTPGet.Port) != httpPort:
					fail("%s: the probe %+v", name, p)
				}
			}
		}
	}},
	{"pods have no rights that they do not need", func(c *cluster, fail func(string, ...any)) {
		no := func(b *bool) bool { return b != nil && !*b }
		for name, w := range c.workloads {
			s, k := w.Spec.Template.Spec, w.container()
			if !no(s.AutomountServiceAccountToken) || !no(s.EnableServiceLinks) || !no(k.SecurityContext.AllowPrivilegeEscalation) || !k.SecurityContext.ReadOnlyRootFilesystem ||
				!slices.Equal(k.SecurityContext.Capabilities.Drop, []string{"ALL"}) || !s.SecurityContext.RunAsNonRoot || s.SecurityContext.SeccompProfile.Type != "RuntimeDefault" ||
				s.SecurityContext.RunAsUser != imageUser || w.Kind == "StatefulSet" && s.SecurityContext.FSGroup != imageUser {
				fail("%s: %+v", name, s.SecurityContext)
			}
			if k.Image == "" || len(k.Resources.Requests) != 2 || s.TerminationGracePeriodSeconds < 15 {
				fail("%s: no image, no requests, or no time to end in good order", name)
			}
		}
	}},
	{"the network lets all peers talk, and nobody else", func(c *cluster, fail func(string, ...any)) {
		if len(c.policies) != 1 {
			fail("there are %d policies", len(c.policies))
			return
		}
		p := c.policies[0]
		if !slices.Equal(p.Spec.PolicyTypes, []string{"Ingress", "Egress"}) {
			fail("it is about %v", p.Spec.PolicyTypes)
		}
		for name, w := range c.workloads {
			labels := w.Spec.Template.Metadata.Labels
			if !selects(p.Spec.PodSelector.MatchLabels, labels) {
				fail("the pods of %s are not protected", name)
			}
			in, out := w.Kind == "Deployment", w.Kind == "Deployment"
			for _, r := range p.Spec.Ingress {
				in = in || selectsAny(r.From, labels) && hasPort(r.Ports, peerPort)
				if r.From == nil && w.Kind == "StatefulSet" {
					fail("any pod may connect to %s", name)
				}
			}
			for _, r := range p.Spec.Egress {
				out = out || selectsAny(r.To, labels) && hasPort(r.Ports, peerPort)
			}
			if !in || !out {
				fail("peers of %s are cut off", name)
			}
		}
	}},
}

func portOf(address string) int {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	return n
}

func selectsAny(places []place, labels map[string]string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.PodSelector != nil && selects(p.PodSelector.MatchLabels, labels) })
}

func hasPort(ports []networkPort, n int) bool {
	return slices.ContainsFunc(ports, func(p networkPort) bool { return p.Port == n && p.Protocol == "TCP" })
}

// problems returns the errors of manifests.
func problems(files []manifest) (list []string) {
	c := &cluster{services: map[string]*service{}, workloads: map[string]*workload{}, secrets: map[string]*secretObject{}}
	for _, f := range files {
		if err := c.read(f.text); err != nil {
			return []string{f.path + ": " + err.Error()}
		}
	}
	for _, r := range rules {
		r.check(c, func(format string, args ...any) { list = append(list, r.name+": "+fmt.Sprintf(format, args...)) })
	}
	return list
}

// TestKubernetes checks the rules.
func TestKubernetes(t *testing.T) {
	for _, p := range []*Program{fleet(), served()} {
		for _, problem := range problems(manifestsOf(t, p, "registry.example.org/team", kubernetes)) {
			t.Errorf("%s: %s", p.Name, problem)
		}
	}
}

// TestKubernetesRules tests that the rules detect damaged manifests.
func TestKubernetesRules(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"kind: StatefulSet", "kind: StatefulSets", "found the kind"},
		{"      containers:", "      container:", "field container not found"},
		{"serviceName: fleet-client", "serviceName: client", "no headless one"},
		{"targetPort: http", "targetPort: web", `leads to the port "web"`},
		{"secretName: fleet-server", "secretName: server", `there is no secret "server"`},
		{"mountPath: /etc/bbgen", "mountPath: /etc/peer", "where nothing is mounted"},
		{"containerPort: 4001", "containerPort: 4002", "are not for its ports"},
		{"replicas: 3", "replicas: 4", "fleet-client-3: unexpected end of JSON"},
		{"path: /healthz", "path: /status", "the probe"},
		{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "no rights that they do not need"},
		{"drop: [ALL]", "drop: []", "no rights that they do not need"},
		{"component: client", "component: server", "selects the pods of"},
		{"          port: 4001", "          port: 4002", "are cut off"},
		{"mountPath: /state", "mountPath: /data", "no claim is mounted"},
		{"name: fleet-client\n", "name: Fleet_client\n", "names are labels of DNS"},
	} {
		files := manifestsOf(t, fleet(), "", kubernetes)
		for i := range files {
			files[i].text = strings.ReplaceAll(files[i].text, c.old, c.new)
		}
		if got := strings.Join(problems(files), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %s", c.new, got, c.want)
		}
	}
}

// TestCompose tests that everything that a service names exists.
func TestCompose(t *testing.T) {
	for _, p := range []*Program{fleet(), served()} {
		files := manifestsOf(t, p, "", compose)
		var c struct {
			Name     string `yaml:"name"`
			Services map[string]struct {
				Image       string   `yaml:"image"`
				Command     []string `yaml:"command"`
				Hostname    string   `yaml:"hostname"`
				Restart     string   `yaml:"restart"`
				Grace       string   `yaml:"stop_grace_period"`
				ReadOnly    bool     `yaml:"read_only"`
				CapDrop     []string `yaml:"cap_drop"`
				SecurityOpt []string `yaml:"security_opt"`
				Ports       []string `yaml:"ports"`
				Volumes     []string `yaml:"volumes"`
				Secrets     []struct{ Source, Target string }
			} `yaml:"services"`
			Volumes map[string]struct{}
			Secrets map[string]struct{ File string }
		}
		d := yaml.NewDecoder(strings.NewReader(files[0].text))
		d.KnownFields(true)
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		ports := map[string]bool{}
		for name, s := range c.Services {
			if s.Image == "" || !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || ports[s.Ports[0]] || !strings.HasPrefix(s.Ports[0], "127.0.0.1:") {
				t.Errorf("%s: %+v", name, s)
			}
			ports[s.Ports[0]] = true
			if p.IsModel() {
				continue
			}
			volume, _, _ := strings.Cut(s.Volumes[0], ":")
			if _, ok := c.Volumes[volume]; !ok {
				t.Errorf("%s: there is no volume %s", name, volume)
			}
			file := "compose/" + strings.TrimPrefix(c.Secrets[s.Secrets[0].Source].File, "./")
			if !slices.ContainsFunc(files, func(f manifest) bool { return f.path == file }) || s.Command[1] != "/run/secrets/"+s.Secrets[0].Target {
				t.Errorf("%s: there is no file %s, or it is not what is read", name, file)
			}
		}
		if want := map[bool]int{true: 1, false: 4}[p.IsModel()]; len(c.Services) != want {
			t.Errorf("%s has %d services, want %d", p.Name, len(c.Services), want)
		}
	}
}
