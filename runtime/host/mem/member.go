package mem

import "github.com/bbgen/bbgen/runtime"

// member is a peer that another one was told of while it ran. After a restart the other one knows it from its
// snapshot, if the snapshot holds it.
type member struct {
	runtime.PeerConfig
	blocked bool
	taken   bool // a snapshot holds it
	safe    bool // which is durable
}

// Join starts a peer that was added with [Network.AddAbsent], and peer i admits it.
func (w *Network) Join(i, absent int) {
	h, o := w.hosts[i], w.hosts[absent]
	h.tellMember(member{PeerConfig: runtime.PeerConfig{ID: o.config.Self, Class: o.class, Rank: o.config.Rank}})
	if !o.begun {
		o.introduce()
		o.start()
	}
}

// Block makes peer i refuse another one from now on.
func (w *Network) Block(i, other int) {
	o := w.hosts[other]
	w.hosts[i].tellMember(member{PeerConfig: runtime.PeerConfig{ID: o.config.Self, Class: o.class, Rank: o.config.Rank}, blocked: true})
}

// AddAbsent is [Network.Add] for a peer that starts when it joins.
func (w *Network) AddAbsent(c runtime.Config, partition func() *runtime.Partition) {
	w.Add(c, partition)
	w.hosts[len(w.hosts)-1].absent = true
}

// tellMember tells a peer of another one, now or when it starts again.
func (h *host) tellMember(m member) {
	h.members = append(h.members, m)
	if h.node != nil {
		h.tell(&m)
		h.node.RequestCheckpoint()
		h.pump()
	}
}

func (h *host) tell(m *member) {
	if m.blocked {
		h.node.Block(m.ID)
	} else if err := h.node.Allow(m.PeerConfig); err != nil {
		h.w.fail(h, err)
	}
}

// tellMembers tells a starting peer the members that its snapshot does not hold.
func (h *host) tellMembers() {
	for i := range h.members {
		if m := &h.members[i]; !m.safe {
			m.taken = false
			h.tell(m)
		}
	}
}
