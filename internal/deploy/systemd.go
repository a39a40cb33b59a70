package deploy

// systemd makes a unit for each class, and the configuration that it reads.
func systemd(all []unit) ([]manifest, error) {
	var files []manifest
	for i := range all {
		u := &all[i]
		text, err := fill("systemd.service", u)
		if err != nil {
			return nil, err
		}
		files = append(files, manifest{"systemd/" + u.Name + ".service", text, open})
		if !u.Model {
			files = append(files, manifest{"systemd/" + u.Name + ".json", machineConfig().text(), secret})
		}
	}
	return files, nil
}
