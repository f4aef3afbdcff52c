# Completion of attnscope for fish. The program itself says what can come next.

function __attnscope_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete $words[2..-1] 2>/dev/null
end

complete -c attnscope -f -a '(__attnscope_words | string match -v :files)'
complete -c attnscope -F -n '__attnscope_words | string match -q :files'
