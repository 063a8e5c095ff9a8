# fish completion for nbscorep; printed by 'nbscorep completion fish'
function __nbscorep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -r -- '^--[^=]*=' '' "$current")
    set -l offers ($program __complete $words "$current" 2>/dev/null)
    set -l files
    switch "$offers[1]"
        case ':folders'
            set offers (__fish_complete_directories "$value")
        case ':files'
            set offers (__fish_complete_path "$value")
        case ':files *'
            set offers (__fish_complete_suffix "$value" (string replace ':files ' '' $offers[1]))
    end
    for offer in $offers
        echo "$option$offer"
    end
end
complete -c nbscorep -f -a '(__nbscorep_complete)'
